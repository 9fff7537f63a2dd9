"""A pin's source is read from real files: environments, checkouts, submodules, locks."""

import json
from pathlib import Path

import pytest

from tests.builders import GitRepo
from watcher.adapters.files import DiskFiles, read_profile_text
from watcher.pins.records import Found, NotFound, Outcome
from watcher.pins.targets import target_of
from watcher.pipeline.installed import active_prefixes, installed_versions, site_directories
from watcher.pipeline.pin_sources import Place, read_pin, read_source
from watcher.settings import PinSource, SourceKind, parse_settings
from watcher.upstreams.load import load_profile

FILES = DiskFiles()
SHA = "1234567890123456789012345678901234567890"
URL = "https://github.com/verl-project/verl.git"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def read(root: Path, source: str, upstream: str = "verl-project/verl", env: str = "env") -> Outcome:
    kind, _, name = source.partition(":")
    target = target_of(load_profile(upstream, read_profile_text), upstream)
    place = Place(FILES, root, (root / env,))
    return read_source(PinSource(SourceKind(kind), name), target, place)


def installed(root: Path, dist: str, version: str, files: dict[str, str] | None = None) -> Path:
    site = "env/lib/python3.11/site-packages"
    info = f"{site}/{dist}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\n\nVersion: 9\n"
    more = {f"{site}/{name}".replace("INFO", f"{dist}-{version}.dist-info"): text
            for name, text in (files or {}).items()}  # fmt: skip
    return write(root, {f"{info}/METADATA": metadata} | more)


def test_a_git_install_is_the_commit_of_its_direct_url(tmp_path: Path) -> None:
    info = {"vcs": "git", "requested_revision": "main", "commit_id": SHA}
    direct = json.dumps({"url": URL, "vcs_info": info})
    installed(tmp_path, "verl", "0.4.1", {"INFO/direct_url.json": direct})

    reading = read(tmp_path, "installed:verl")

    assert isinstance(reading, Found)
    assert (reading.ref, reading.upstream, reading.note) == (
        SHA,
        "verl-project/verl",
        'installed from "main"',
    )


def test_torch_is_the_git_version_of_its_version_file(tmp_path: Path) -> None:
    text = f"__all__ = ['git_version']\n__version__ = '2.6.0+cu124'\ngit_version = '{SHA}'\n"
    installed(tmp_path, "torch", "2.6.0+cu124", {"torch/version.py": text})

    reading = read(tmp_path, "installed:torch", "pytorch/pytorch")

    assert isinstance(reading, Found)
    assert reading.ref == SHA


@pytest.mark.parametrize(
    "line",
    [
        f"git_version: str = '{SHA}'",
        f'__commit__ = "{SHA}"',
        f"__commit_id__ = commit_id = 'g{SHA}'",
    ],
)
def test_a_generated_version_file_may_name_the_commit(tmp_path: Path, line: str) -> None:
    installed(tmp_path, "vllm", "0.8.5", {"vllm/_version.py": f"version = '0.8.5'\n{line}\n"})

    reading = read(tmp_path, "installed:vllm", "vllm-project/vllm")

    assert isinstance(reading, Found)
    assert (reading.ref, reading.note) == (SHA, "version 0.8.5")


@pytest.mark.parametrize(
    ("version", "ref"), [("0.8.5", "0.8.5"), ("0.8.5.dev3+g1a2b3c4d5.cu124", "1a2b3c4d5")]
)
def test_else_the_version_counts(tmp_path: Path, version: str, ref: str) -> None:
    reading = read(installed(tmp_path, "vllm", version), "installed:vllm", "vllm-project/vllm")

    assert isinstance(reading, Found)
    assert reading.ref == ref


def test_an_editable_install_is_the_head_of_its_checkout(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "my src")
    head = repo.commit({"verl/__init__.py": ""}, "first")
    repo.git("remote", "add", "origin", "git@github.com:me/verl.git")
    direct = f'{{"url": "{repo.path.as_uri()}", "dir_info": {{"editable": true}}}}'
    installed(tmp_path, "verl", "0.4.1", {"INFO/direct_url.json": direct})

    reading = read(tmp_path, "installed:verl")

    assert isinstance(reading, Found)
    assert (reading.ref, reading.upstream, reading.git) == (head, "me/verl", repo.path.as_uri())
    assert reading.note == 'checkout on branch "main"'


def test_what_is_not_installed_says_where_it_was_looked_for(tmp_path: Path) -> None:
    installed(tmp_path, "vllm", "0.8.5")

    missing, nowhere = read(tmp_path, "installed:verl"), read(tmp_path, "installed:verl", env="no")

    assert isinstance(missing, NotFound)
    assert "is not installed in" in missing.reason
    assert isinstance(nowhere, NotFound)
    assert "python =" in nowhere.mend


def test_a_develop_install_is_followed_by_its_link(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "src")
    head = repo.commit({"setup.py": ""}, "first")
    link = {"env/lib/python3.11/site-packages/verl.egg-link": f"{repo.path}\n.\n"}

    reading = read(write(tmp_path, link), "installed:verl")

    assert isinstance(reading, Found)
    assert reading.ref == head


@pytest.mark.parametrize(
    "direct",
    [
        "{",
        "[]",
        '{"url": 1}',
        '{"url": "https://x.org/verl-0.4.1.tar.gz", "archive_info": {}}',
    ],
)
def test_a_direct_url_that_names_no_commit_leaves_the_version(tmp_path: Path, direct: str) -> None:
    installed(tmp_path, "verl", "0.4.1", {"INFO/direct_url.json": direct})

    reading = read(tmp_path, "installed:verl")

    assert isinstance(reading, Found)
    assert reading.ref == "0.4.1"


def test_a_git_install_without_its_commit_is_refused(tmp_path: Path) -> None:
    direct = json.dumps({"url": URL, "vcs_info": {"vcs": "git"}})
    installed(tmp_path, "verl", "0.4.1", {"INFO/direct_url.json": direct})

    assert isinstance(read(tmp_path, "installed:verl"), NotFound)


def test_a_directory_inside_the_upstreams_checkout_is_its_commit(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "verl")
    head = repo.commit({"python/setup.py": ""}, "first")
    repo.git("remote", "add", "upstream", URL)
    own = GitRepo(tmp_path / "own")
    own.commit({"libs/verl/a.py": ""}, "first")

    inside, foreign = read(tmp_path, "checkout:verl/python"), read(own.path, "checkout:libs/verl")

    assert isinstance(inside, Found)
    assert inside.ref == head
    assert isinstance(foreign, NotFound)


def test_a_checkout_without_a_commit_is_refused(tmp_path: Path) -> None:
    reading = read(GitRepo(tmp_path / "verl").path, "checkout:.")

    assert isinstance(reading, NotFound)
    assert reading.reason == "HEAD names no commit"


def test_packed_refs_and_detached_heads_are_read(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "verl")
    head = repo.commit({"a": "1"}, "first")
    repo.git("pack-refs", "--all")

    packed = read(tmp_path, "checkout:verl")
    repo.git("checkout", "-q", "--detach")
    detached = read(tmp_path, "checkout:verl")

    assert isinstance(packed, Found)
    assert isinstance(detached, Found)
    assert packed.ref == detached.ref == head
    assert detached.note is None


def test_a_worktree_is_read_through_its_common_directory(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "main")
    head = repo.commit({"a": "1"}, "first")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))

    reading = read(tmp_path, "checkout:side")

    assert isinstance(reading, Found)
    assert reading.ref == head


def test_a_submodule_is_its_checked_out_commit(tmp_path: Path) -> None:
    inner, outer = GitRepo(tmp_path / "verl"), GitRepo(tmp_path / "project")
    head = inner.commit({"a": "1"}, "first")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.url, "libs/verl")

    reading = read(outer.path, "submodule:libs/verl")

    assert isinstance(reading, Found)
    assert (reading.ref, str(reading.where)) == (head, ".gitmodules:1")


def test_a_submodule_that_is_not_there_is_refused_with_the_command(tmp_path: Path) -> None:
    write(tmp_path, {".gitmodules": f'[submodule "v"]\n\tpath = libs/verl\n\turl = {URL}\n'})

    empty, unknown = read(tmp_path, "submodule:libs/verl"), read(tmp_path, "submodule:x")

    assert isinstance(empty, NotFound)
    assert "git submodule update --init" in empty.mend
    assert isinstance(unknown, NotFound)
    assert "is not in .gitmodules" in unknown.reason


def test_included_requirement_files_are_followed(tmp_path: Path) -> None:
    write(tmp_path, {"req/all.txt": "-r base.txt\n", "req/base.txt": f"verl @ git+{URL}@{SHA}\n"})

    reading = read(tmp_path, "requirements:req/all.txt")

    assert isinstance(reading, Found)
    assert (reading.ref, str(reading.where)) == (SHA, "req/base.txt:1")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("lock:none.lock", "cannot be read"),
        ("lock:bad.lock", "not valid"),
        ("requirements:empty.txt", "does not name verl"),
        ("checkout:none", "no git checkout"),
        ("image:Dockerfile", "moves"),
    ],
)
def test_a_source_without_a_commit_says_why(tmp_path: Path, source: str, reason: str) -> None:
    files = {"bad.lock": "[[", "empty.txt": "numpy\n", "Dockerfile": "FROM verlai/verl:latest\n"}

    reading = read(write(tmp_path, files), source)

    assert isinstance(reading, NotFound)
    assert reason in reading.reason
    assert reading.mend


def test_a_pin_is_read_from_the_interpreter_that_it_names(tmp_path: Path) -> None:
    installed(tmp_path, "verl", "0.4.1")
    settings = parse_settings(
        '[[pins]]\nname = "verl"\nupstream = "verl-project/verl"\n'
        'source = "installed:verl"\npython = "env/bin/python"\n',
        origin=tmp_path / "watcher.toml",
        environment={},
    )
    profile = load_profile("verl-project/verl", read_profile_text)

    reading = read_pin(settings.pins[0], settings, files=FILES, profile=profile, environment={})

    assert isinstance(reading, Found)
    assert reading.ref == "0.4.1"


def test_a_virtual_environment_on_top_of_the_system_is_read_with_its_base(tmp_path: Path) -> None:
    base = installed(tmp_path / "base", "torch", "2.6.0") / "env"
    cfg = f"home = {base}/bin\ninclude-system-site-packages = true\n"
    installed(tmp_path, "verl", "0.4.1", {})
    write(tmp_path, {"env/pyvenv.cfg": cfg})

    sites = site_directories(FILES, tmp_path / "env")

    assert installed_versions(FILES, sites) == {"verl": "0.4.1", "torch": "2.6.0"}


def test_the_active_environment_comes_before_the_projects_own(tmp_path: Path) -> None:
    installed(tmp_path, "verl", "0.4.1")

    prefixes = active_prefixes(FILES, tmp_path, {"VIRTUAL_ENV": "/active"})

    assert prefixes == [Path("/active"), tmp_path / "env"]
