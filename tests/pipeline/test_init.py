"""``watcher init`` finds pins, scripts, configurations and code, and writes a file that parses."""

from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import GitRepo
from tests.pipeline.test_pin_sources import SHA, URL, installed, write
from tests.properties import awkward, robust
from watcher.adapters.files import DiskFiles, read_profile_text
from watcher.pipeline.init import DetectedPin, InitResult, detect, render_config
from watcher.pipeline.init_usage import FoundUsage
from watcher.settings import PinSource, Settings, SourceKind, parse_settings
from watcher.upstreams.load import load_profile
from watcher.upstreams.profile import Profile

UPSTREAMS = ("verl-project/verl", "vllm-project/vllm", "pytorch/pytorch", "huggingface/trl")
LAUNCH = """#!/bin/bash
python3 -m verl.trainer.main_ppo \\
    actor_rollout_ref.actor.strategy=fsdp2 \\
    trainer.n_gpus_per_node=4 trainer.nnodes=2
"""


@cache
def profiles() -> tuple[Profile, ...]:
    return tuple(load_profile(upstream, read_profile_text) for upstream in UPSTREAMS)


def find(root: Path) -> InitResult:
    return detect(DiskFiles(), root, profiles=profiles(), environment={})


def parsed(result: InitResult) -> Settings:
    return parse_settings(
        render_config(result), origin=result.root / "watcher.toml", environment={}
    )


def test_a_project_gets_its_pins_usage_and_gpus(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "uv.lock": f'[[package]]\nname = "verl"\nsource = {{ git = "{URL}#{SHA}" }}\n',
            "Dockerfile": "FROM vllm/vllm-openai:v0.8.5\nRUN pip install verl==0.4.1\n",
            "run_ppo.sh": LAUNCH,
            "setup.sh": "apt-get update\n",
            "configs/ppo.yaml": "actor_rollout_ref:\n  actor: {}\n",
            "compose.yaml": "services: {}\n",
            "src/train.py": "import verl.utils\n",
            "src/plain.py": "import json\n",
        },
    )

    settings = parsed(find(tmp_path))

    assert [(pin.name, str(pin.source)) for pin in settings.pins] == [
        ("verl", "lock:uv.lock"),
        ("vllm", "image:Dockerfile"),
    ]
    assert settings.usage.config == ("run_ppo.sh", "configs/ppo.yaml")
    assert settings.usage.code == ("src/",)
    assert settings.usage.gpus == 8


def test_each_pin_says_where_it_came_from_and_what_else_was_seen(tmp_path: Path) -> None:
    files = {
        "requirements.txt": f"verl @ git+{URL}@{SHA}\n",
        "Dockerfile": "RUN pip install verl==0.4\n",
    }

    text = render_config(find(write(tmp_path, files)))

    assert f"# {SHA} (requirements.txt:1)\n" in text
    assert "# also seen: image:Dockerfile: 0.4 (Dockerfile:1)\n" in text


def test_a_pin_that_does_not_resolve_is_written_with_its_reason(tmp_path: Path) -> None:
    result = find(write(tmp_path, {"requirements.txt": "vllm>=0.8\n"}))

    assert parsed(result).pins[0].name == "vllm"
    assert "is a range (requirements.txt:1)" in render_config(result)


def test_files_that_disagree_are_left_to_the_user(tmp_path: Path) -> None:
    files = {
        "docker/Dockerfile.cuda": "FROM vllm/vllm-openai:v0.8.5\n",
        "docker/Dockerfile.rocm": "FROM vllm/vllm-openai:v0.9.0\n",
    }

    result = find(write(tmp_path, files))

    assert parsed(result).pins == ()
    text = render_config(result)
    assert "# # 2 files name different commits; keep the source that is run\n" in text
    assert "# # also seen: image:docker/Dockerfile.rocm: 0.9.0 (docker/Dockerfile.rocm:1)\n" in text


def test_a_file_near_the_root_says_more_than_one_deep_inside(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM vllm/vllm-openai:v0.8.5\n",
        "docker/old/Dockerfile": "FROM vllm/vllm-openai:v0.7.0\n",
        "setup.sh": f"git clone https://github.com/vllm-project/vllm && git checkout {SHA}\n",
    }

    assert [str(pin.source) for pin in find(write(tmp_path, files)).pins] == ["image:Dockerfile"]


def test_many_scripts_are_listed_but_not_taken(tmp_path: Path) -> None:
    result = find(write(tmp_path, {f"run_{n:02}.sh": LAUNCH for n in range(20)}))

    assert parsed(result).usage.config == ()
    assert '#     "run_00.sh",  # runs -m verl.trainer.main_ppo\n' in render_config(result)


def test_a_broken_lock_of_another_tool_does_not_stop_init(tmp_path: Path) -> None:
    files = {"poetry.lock": "[[", "requirements.txt": "vllm==0.8.5\n"}

    assert [pin.name for pin in find(write(tmp_path, files)).pins] == ["vllm"]


def test_a_fork_is_told_as_a_fork(tmp_path: Path) -> None:
    line = f"verl @ git+https://github.com/me/verl@{SHA}\n"

    result = find(write(tmp_path, {"requirements.txt": line}))

    assert parsed(result).pins[0].upstream == "verl-project/verl"
    assert "# from the fork me/verl\n" in render_config(result)


def test_submodules_and_checkouts_win_over_versions(tmp_path: Path) -> None:
    vllm = GitRepo(tmp_path / "third_party" / "vllm")
    head = vllm.commit({"vllm/__init__.py": "import vllm.x"}, "first")
    vllm.git("remote", "add", "origin", "https://github.com/vllm-project/vllm.git")

    result = find(write(tmp_path, {"requirements.txt": "vllm==0.8.5\n"}))

    assert [str(pin.source) for pin in result.pins] == ["checkout:third_party/vllm"]
    assert head in result.pins[0].found
    assert result.usage.code == ()


def test_working_inside_the_upstreams_own_checkout_pins_the_checkout(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "work")
    repo.commit({"verl/a.py": "import verl", "examples/run.sh": LAUNCH}, "first")
    repo.git("remote", "add", "origin", "git@github.com:me/verl.git")

    result = find(repo.path)

    assert [str(pin.source) for pin in result.pins] == ["checkout:."]
    assert result.usage.code == ()


def test_a_submodule_is_found_by_its_address(tmp_path: Path) -> None:
    modules = '[submodule "v"]\n\tpath = libs/verl\n\turl = ../../verl-project/verl.git\n'

    result = find(write(tmp_path, {".gitmodules": modules}))

    assert [str(pin.source) for pin in result.pins] == ["submodule:libs/verl"]
    assert "git submodule update --init" in result.pins[0].found


def test_an_installed_environment_counts_when_nothing_names_more(tmp_path: Path) -> None:
    result = find(installed(tmp_path, "vllm", "0.8.5"))

    assert [str(pin.source) for pin in result.pins] == ["installed:vllm"]


def test_upstreams_that_are_only_installed_and_unverified_are_suggested(tmp_path: Path) -> None:
    result = find(installed(tmp_path, "trl", "0.19.0"))

    assert parsed(result).pins == ()
    assert '# source = "installed:trl"\n' in render_config(result)


def test_an_empty_project_gets_a_file_that_shows_how(tmp_path: Path) -> None:
    result = find(tmp_path)

    assert parsed(result).pins == ()
    assert "# [[pins]]" in render_config(result)


def test_scripts_that_disagree_on_gpus_state_none(tmp_path: Path) -> None:
    files = {"a.sh": LAUNCH, "b.sh": LAUNCH.replace("node=4", "node=8")}

    assert find(write(tmp_path, files)).usage.gpus is None


@robust
@given(st.text(awkward, min_size=1, max_size=12), st.text(awkward, max_size=30), st.booleans())
def test_no_name_breaks_the_written_file(name: str, words: str, is_active: bool) -> None:
    pin = DetectedPin(
        name="verl",
        upstream="verl-project/verl",
        source=PinSource(SourceKind.LOCK, f"a{name.strip()}".replace("\x00", "")),
        found=words,
        is_active=is_active,
        others=(words,),
    )
    printable = f"x{''.join(filter(str.isprintable, name))}x"
    usage = FoundUsage(config=((printable, words),), gpus=3, gpus_from=words)

    text = render_config(InitResult(root=Path("/p"), pins=(pin,), usage=usage))

    import tomllib

    assert tomllib.loads(text)["usage"] == {"config": [printable], "gpus": 3}
