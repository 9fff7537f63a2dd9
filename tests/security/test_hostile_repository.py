"""A repository that means harm runs nothing, reads nothing of ours and writes nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.git_mirror import Heard, make_mirror, request
from tests.builders import GitRepo
from tests.stories import Project
from watcher.errors import MirrorError, WatcherError
from watcher.pipeline.asking import Asking, symptom_of
from watcher.pipeline.pinned import NO_MOVES
from watcher.settings.addresses import refuse_git_address

HOOKS = (
    *("pre-receive", "update", "post-update", "reference-transaction", "post-checkout"),
    *("pre-auto-gc", "post-merge", "pre-push", "fsmonitor-watchman", "post-index-change"),
)


def trap(tmp_path: Path) -> tuple[Path, str]:
    """A program that leaves a mark, and the mark."""
    mark, program = tmp_path / "mark", tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {mark}\ncat\n")
    program.chmod(0o755)
    return mark, str(program)


def armed(tmp_path: Path, program: str) -> GitRepo:
    """An upstream whose configuration, hooks, attributes and links all lead to the program."""
    secret = tmp_path / "secret"
    secret.write_text("TOPSECRET\n")
    repo = GitRepo(tmp_path / "upstream")
    drivers = "* filter=evil diff=evil merge=evil textconv=evil\n*.py diff=evil filter=evil -text\n"
    modules = '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch%20mark\n'
    files: dict[str, str | bytes | None] = {
        "src/a.py": "def run(x):\n    return x\n",
        ".gitattributes": drivers,
        ".gitmodules": modules,
        "src/--upload-pack=evil.py": "A = 1\n",
        "src/new\nline.py": "B = 1\n",
    }
    repo.write(files)
    (repo.path / "src" / "link.py").symlink_to(secret)
    (repo.path / "src" / "folder").symlink_to(tmp_path)
    repo.squash("feat: start", 1, {})
    repo.tag("v1.0")
    repo.squash("fix: crash of run", 2, {"src/a.py": "def run(x):\n    return x + 1\n"})
    repo.squash("feat: more", 3, {"src/b.py": "def stop(x):\n    return x\n"})
    for key in (
        *("filter.evil.smudge", "filter.evil.clean", "filter.evil.process"),
        *("diff.evil.textconv", "diff.evil.command", "diff.external", "merge.evil.driver"),
        *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.gitProxy"),
        *("uploadpack.packObjectsHook", "gpg.program", "credential.helper", "core.askPass"),
        *("remote.origin.uploadpack", "alias.upload-pack", "alias.cat-file"),
    ):
        repo.git("config", key, program)
    repo.git("config", "core.hooksPath", str(repo.path / ".git" / "hooks"))
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).symlink_to(program)
    return repo


def test_nothing_of_an_armed_repository_is_run(tmp_path: Path) -> None:
    mark, program = trap(tmp_path)
    repo = armed(tmp_path, program)
    project = Project(tmp_path / "project", repo)
    project.configure("v1.0", usage='paths = ["src/a.py"]')

    project.sync()
    items = project.items()
    _, report = project.app.show("engine#2", moves=NO_MOVES)
    project.app.check(symptom_of(Asking(words="crash of run")), moves=NO_MOVES)
    project.close()

    assert {"engine#2", "engine#3"} <= set(items)
    assert report.item.id == "engine#2"
    assert not mark.exists()


def test_the_mirror_reads_the_bytes_that_are_stored_and_runs_no_driver(tmp_path: Path) -> None:
    mark, program = trap(tmp_path)
    repo = armed(tmp_path, program)
    mirror = make_mirror(tmp_path / "mirror")
    mirror.update(request(repo.url, "v1.0"), Heard())
    base, head = repo.sha("v1.0"), repo.sha()

    patch = mirror.patch_of(repo.sha("main~1"))
    picked = mirror.try_pick(base, [repo.sha("main~1")])

    assert "+    return x + 1" in patch
    assert picked.is_clean
    assert mirror.read(head, "src/--upload-pack=evil.py") == b"A = 1\n"
    assert mirror.read(head, "src/new\nline.py") == b"B = 1\n"
    assert list(mirror.patch_ids([head]))
    assert not mark.exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    _, program = trap(tmp_path)
    repo = armed(tmp_path, program)
    mirror = make_mirror(tmp_path / "mirror")
    mirror.update(request(repo.url), Heard())
    head = repo.sha()

    names = mirror.files(head)
    contents = dict(mirror.blobs(head))

    assert "src/link.py" not in names
    assert "src/folder" not in names
    assert mirror.read(head, "src/link.py") is None
    assert mirror.read(head, "src/folder/secret") is None
    assert not any(b"TOPSECRET" in content for content in contents.values())


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "src/../../secret", "-x", ":/", ""])
def test_a_path_outside_the_tree_reads_nothing(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_text("TOPSECRET\n")
    repo = GitRepo(tmp_path / "upstream")
    repo.squash("feat: start", 1, {"a.py": "x = 1\n"})
    mirror = make_mirror(tmp_path / "mirror")
    mirror.update(request(repo.url), Heard())

    try:
        content = mirror.read(repo.sha(), path)
    except WatcherError:
        content = None

    assert content is None


def test_alternates_of_an_upstream_are_not_taken_over(tmp_path: Path) -> None:
    private = GitRepo(tmp_path / "private")
    secret = private.squash("feat: secret", 1, {"key.py": "TOPSECRET = 1\n"})
    repo = GitRepo(tmp_path / "upstream")
    repo.squash("feat: start", 1, {"a.py": "x = 1\n"})
    info = repo.path / ".git" / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{private.path}/.git/objects\n")
    mirror = make_mirror(tmp_path / "mirror")

    mirror.update(request(repo.url), Heard())

    assert not list((tmp_path / "mirror").rglob("alternates"))
    assert mirror.committed_at(secret) is None


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% /tmp/x",
        "--upload-pack=touch /tmp/x",
        "-oProxyCommand=touch",
        "ssh://-oProxyCommand=touch/x",
        "git@-oProxyCommand=touch:x",
        "ssh://-l@host/x",
        "fd::17",
        "git://host/x",
        "file://host/x",
        "transport::address",
        "https://user:password@host/x",
        "https://host/x\n--upload-pack=y",
        "",
    ],
)
def test_an_address_that_could_run_something_is_refused_twice(tmp_path: Path, address: str) -> None:
    assert refuse_git_address(address) is not None or address.startswith("file://host")

    with pytest.raises(MirrorError) as error:
        make_mirror(tmp_path / "mirror").update(request(address), Heard())

    assert "\n" not in str(error.value)
    assert "password" not in str(error.value).replace("an address with a password", "")
