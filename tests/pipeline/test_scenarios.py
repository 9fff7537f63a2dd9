"""Stories that must come true, in the shape of real events, on small repositories made here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import GitRepo, git_environment
from tests.stories import Project, SilentProgress
from watcher.app import App
from watcher.demonstration import example
from watcher.facts.item import Item, Tier
from watcher.facts.presence import Presence
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.pinned import NO_MOVES, Moves
from watcher.report.answer import Answer
from watcher.symptom.parse import parse_symptom


def check(app: App, words: str, log: str | None = None) -> Answer:
    lines = None if log is None else log.splitlines()
    return app.check(parse_symptom(words, lines), moves=NO_MOVES)


def everything(app: App, *at: str) -> dict[str, Item]:
    moves = Moves.parse(at, (), app.pin_names)
    answer = app.list(ListFilter(everything=True), moves=moves)
    return {item.id: item for item in answer.items}


# --- garbled before the first step ---


@pytest.fixture(scope="module")
def offload() -> Iterator[App]:
    """The embedded example: a feature copies without blocking, its mend lands days later."""
    with example(git_environment()) as app:
        app.sync(SilentProgress())
        yield app


def test_the_mend_is_first_and_likely_for_a_pin_between(offload: App) -> None:
    first = offload.list(ListFilter(), moves=NO_MOVES).items[0]

    assert (first.id, first.presence, first.tier) == ("rltrain#17", Presence.PRESENT, Tier.LIKELY)
    assert first.introduced_by == "rltrain#12"


def test_a_pin_before_the_feature_is_not_alarmed(offload: App) -> None:
    moves = Moves.parse(["rltrain=v1.0.0"], (), offload.pin_names)

    shown = offload.list(ListFilter(), moves=moves)

    assert "rltrain#17" not in {item.id for item in shown.items}
    assert dict(shown.collapsed)["absent"] >= 1
    assert everything(offload, "rltrain=v1.0.0")["rltrain#17"].presence is Presence.ABSENT


@pytest.mark.parametrize(
    "words",
    ["garbled output fsdp2 cpu offload 3 gpus", "输出乱码 fsdp2 offload 3卡"],
    ids=["english", "chinese"],
)
def test_words_in_either_language_put_the_mend_first(offload: App, words: str) -> None:
    assert check(offload, words).items[0].id == "rltrain#17"


def test_before_the_mend_landed_no_fix_is_claimed(offload: App) -> None:
    moves = Moves.parse((), ["rltrain=v1.1.0"], offload.pin_names)
    symptom = parse_symptom("garbled output fsdp2 cpu offload 3 gpus")

    answer = offload.check(symptom, moves=moves)

    assert answer.no_match
    assert "rltrain#17" not in {item.id for item in answer.items}


# --- a crash in weight sync, its family, its backport ---

ENGINE = """class Engine:
    def get_per_tensor_param(self, model):
        state = model.state_dict()
        return {name: tensor.to("cuda") for name, tensor in state.items()}

    def save_checkpoint(self, model, path):
        state = model.state_dict()
        write_file(path, state)
"""
WEIGHTS_MENDED = ENGINE.replace(
    "        state = model.state_dict()\n        return {",
    "        state = unsharded_state(model)\n        return {",
)
BOTH_MENDED = WEIGHTS_MENDED.replace(
    "        state = model.state_dict()\n        write",
    "        state = unsharded_state(model)\n        write",
)
CRASH = """(WorkerDict pid=41) Traceback (most recent call last):
(WorkerDict pid=41)   File "/opt/env/lib/python3.11/site-packages/engine/fsdp.py", line 12, in update_weights
(WorkerDict pid=41)     params = self.get_per_tensor_param(model)
(WorkerDict pid=41)   File "/opt/env/lib/python3.11/site-packages/engine/fsdp.py", line 3, in get_per_tensor_param
(WorkerDict pid=41)     state = model.state_dict()
(WorkerDict pid=41) RuntimeError: Attempted to set the storage of a tensor on device "cpu" to a storage on different device "cuda:0".
"""  # noqa: E501  a log keeps its lines


@pytest.fixture
def crash(tmp_path: Path) -> Project:
    repo = GitRepo(tmp_path / "upstream")
    repo.commit({"engine/fsdp.py": ENGINE, "engine/__init__.py": ""}, "Start")
    for number in range(1, 8):
        repo.squash(
            f"[misc] fix: small thing {number}", number, {f"engine/m{number}.py": "x = 1\n"}
        )
    repo.tag("v0.7.0")
    repo.squash(
        "[fsdp] fix: device mismatch between offload and weight transfer",
        20,
        {"engine/fsdp.py": WEIGHTS_MENDED},
        "state_dict() fails with parameters on the host. Fixes #11",
    )
    repo.branch("release/v0.8.0").tag("v0.8.0")
    repo.switch("main")
    second = repo.squash(
        "[fsdp] fix: do not move the model to the GPU before saving",
        25,
        {"engine/fsdp.py": BOTH_MENDED},
        "Follow-up to #20: save_checkpoint has the same defect.",
    )
    repo.switch("release/v0.8.0")
    repo.cherry_pick(second, "[ckpt] fix: support saving with offload (#31)")
    repo.switch("main")
    return Project(tmp_path / "project", repo).configure("v0.7.0")


def test_the_log_ranks_the_mend_first(crash: Project) -> None:
    crash.sync()

    first = check(crash.app, "", CRASH).items[0]

    assert first.id == "engine#20"
    assert any("get_per_tensor_param" in one.detail for one in first.evidence)


def test_a_family_says_how_many_of_its_mends_are_there(crash: Project) -> None:
    crash.sync()

    item = crash.items(at=["engine=v0.8.0"])["engine#25"]

    assert dict(item.extra)["family_state"] == "you have 1 of 2; left: engine#25"


def test_the_same_patch_under_another_number_is_known(crash: Project) -> None:
    crash.sync()

    before = crash.items(at=["engine=v0.8.0"])["engine#25"]
    after = crash.items(at=["engine=release/v0.8.0"])["engine#25"]

    assert before.presence is not Presence.CONTAINED
    assert after.presence is Presence.CONTAINED
    assert "same patch" in after.presence_detail


# --- only one strategy is concerned ---

HANDLERS = """class Worker:
    def handlers(self):
        strategy = self.config.actor.strategy
        if strategy in ["fsdp", "fsdp2"]:
            return sharded_save, sharded_load
        raise NotImplementedError(strategy)
"""
HANDLERS_MENDED = HANDLERS.replace(
    '        if strategy in ["fsdp", "fsdp2"]:\n',
    '        if strategy == "fsdp":\n            return flat_save, flat_load\n'
    '        if strategy == "fsdp2":\n',
)


def strategy_project(tmp_path: Path, strategy: str) -> Project:
    repo = GitRepo(tmp_path / "upstream")
    repo.commit({"engine/worker.py": HANDLERS, "engine/__init__.py": ""}, "Start")
    repo.tag("v1.0.0")
    body = "AssertionError: no sharded parameters found with strategy=fsdp. Closes #4"
    files: dict[str, str | bytes | None] = {"engine/worker.py": HANDLERS_MENDED}
    repo.squash("[fsdp] fix: restore handler for fsdp", 5, files, body)
    project = Project(tmp_path / "project", repo)
    project.write(
        "run.sh", f"python -m engine.main actor.strategy={strategy} algorithm.async=True\n"
    )
    project.configure("v1.0.0", usage='config = ["run.sh"]')
    project.sync()
    return project


def test_the_strategy_that_the_guard_asks_for_is_likely(tmp_path: Path) -> None:
    item = strategy_project(tmp_path, "fsdp").items()["engine#5"]

    assert item.tier in {Tier.LIKELY, Tier.POSSIBLE}
    assert any("fsdp" in one.detail and one.weight > 0 for one in item.evidence)


def test_another_backend_is_unlikely_with_that_reason(tmp_path: Path) -> None:
    item = strategy_project(tmp_path, "megatron").items()["engine#5"]

    assert item.tier is Tier.UNLIKELY
    assert any(one.weight < 0 and "megatron" in one.detail for one in item.evidence)


# --- two numbers, other hardware ---


def test_the_last_of_two_numbers_is_the_pull_request(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "upstream")
    pin = repo.commit({"engine/a.py": "limit = read_limit(config)\n"}, "Start")
    repo.commit(
        {"engine/a.py": "limit = read_limit(config, strict=True)\n"},
        "[Bugfix] Restore buffers on wake up (#16564) (#16889)",
    )
    project = Project(tmp_path / "project", repo).configure(pin)
    project.sync()

    assert set(project.items()) == {"engine#16889"}


@pytest.mark.parametrize("tag", ["[ROCm]", "[TPU]"])
def test_other_hardware_is_unlikely_for_a_cuda_user(tmp_path: Path, tag: str) -> None:
    repo = GitRepo(tmp_path / "upstream")
    pin = repo.commit({"engine/a.py": "limit = read_limit(config)\n"}, "Start")
    files: dict[str, str | bytes | None] = {"engine/a.py": "limit = read_limit(config, 2)\n"}
    repo.squash(f"[Bugfix]{tag} Fix the limit", 9, files)
    project = Project(tmp_path / "project", repo).configure(pin, usage='hardware = "cuda"')
    project.sync()

    item = project.items()["engine#9"]

    assert item.tier is Tier.UNLIKELY
    assert any("cuda" in one.detail.lower() for one in item.evidence)


# --- a bot lands pull requests ---


def test_landed_reverted_and_landed_again_counts_once_at_its_last_landing(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "upstream")
    pin = repo.commit({"torch/a.py": "limit = read_limit(config)\n"}, "Start")
    trailer = "Pull Request resolved: https://github.com/pytorch/pytorch/pull/101\nApproved by: ..."
    files: dict[str, str | bytes | None] = {"torch/a.py": "limit = read_limit(config, 2)\n"}
    first = repo.commit(files, f"[FSDP2] Fix the limit (#101)\n\n{trailer}")
    reverted = "https://github.com/pytorch/pytorch/pull/101"
    repo.revert(
        first,
        f'Revert "[FSDP2] Fix the limit (#101)"\n\nThis reverts commit {first}.\n\n'
        f"Reverted {reverted} on behalf of someone due to breaks internal builds\n",
    )
    again = repo.commit(files, f"[FSDP2] Fix the limit (#101)\n\n{trailer}")
    project = Project(tmp_path / "project", repo, name="pytorch/pytorch").configure(pin)
    project.sync()

    items = project.items()

    assert items["pytorch#101"].sha == again
    assert items["pytorch#101"].presence is Presence.PRESENT


def test_a_cherry_pick_on_a_release_branch_counts_for_a_pin_there(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "upstream")
    repo.commit({"torch/a.py": "limit = read_limit(config)\n"}, "Start")
    repo.branch("release/2.9").switch("main")
    trailer = "Pull Request resolved: https://github.com/pytorch/pytorch/pull/101"
    files: dict[str, str | bytes | None] = {"torch/a.py": "limit = read_limit(config, 2)\n"}
    repo.commit(files, f"[FSDP2] Fix the limit (#101)\n\n{trailer}")
    repo.switch("release/2.9")
    repo.commit(
        files,
        "[FSDP2] Fix the limit (#120)\n\nCherry-pick of #101.\n\n"
        "Pull Request resolved: https://github.com/pytorch/pytorch/pull/120",
    )
    repo.switch("main")
    project = Project(tmp_path / "project", repo, name="pytorch/pytorch")
    project.configure("release/2.9").sync()

    assert project.items()["pytorch#101"].presence is Presence.CONTAINED
