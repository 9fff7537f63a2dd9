"""What a diff says: functions, names, strings, settings, guards."""

from __future__ import annotations

import pytest

from watcher.facts.diff import FileStatus, Guard
from watcher.history.diff import CommitDiff, FileDiff, HunkDiff
from watcher.history.diff_facts import diff_facts, functions_of_headers
from watcher.history.roles import path_role
from watcher.history.settings_read import guards_of, keys_of_yaml, keys_read
from watcher.history.tokens import Tokens


def changed(
    path: str, added: tuple[str, ...], removed: tuple[str, ...] = (), header: str = ""
) -> FileDiff:
    return FileDiff(
        path=path,
        old_path=path,
        status=FileStatus.MODIFIED,
        role=path_role(path),
        hunks=(HunkDiff(0, len(removed), 0, len(added), removed, added, header),),
        added=len(added),
        removed=len(removed),
    )


def test_names_and_strings_come_from_shipped_files_only() -> None:
    facts = diff_facts(
        CommitDiff(
            "a" * 40,
            (
                changed("pkg/a.py", ('raise ValueError("no DTensor found")  # why not',)),
                changed("tests/test_a.py", ("hidden_helper()",)),
                changed("docs/a.md", ("prose_word",)),
            ),
        )
    )

    assert facts.identifiers == ("ValueError",)
    assert facts.strings == ("no DTensor found",)
    assert [file.path for file in facts.files] == ["pkg/a.py", "tests/test_a.py", "docs/a.md"]


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("x = self.config.actor.strategy", ["actor.strategy"]),
        ('cfg["trainer"]["n_gpus"]', ["trainer.n_gpus"]),
        ('n = config.rollout.get("free_cache_engine", True)', ["rollout.free_cache_engine"]),
        ('getattr(model_config, "hf_config_path", None)', ["hf_config_path"]),
        ('parser.add_argument("--tensor-parallel-size")', ["tensor-parallel-size"]),
        ('os.environ["VLLM_USE_V1"]', ["VLLM_USE_V1"]),
        ("if envs.VLLM_LOGGING_LEVEL:", ["VLLM_LOGGING_LEVEL"]),
        ("for key in config.keys():", []),
        ("total = first + second", []),
    ],
)
def test_settings_are_read_in_the_ways_of_python(line: str, keys: list[str]) -> None:
    found = list(dict.fromkeys(keys_read(line)))

    assert [key for key in keys if key in found] == keys
    assert bool(found) == bool(keys)


def test_a_yaml_line_sets_its_key() -> None:
    assert list(keys_of_yaml("  offload_policy: true")) == ["offload_policy"]
    assert list(keys_of_yaml("# offload_policy: true")) == []


@pytest.mark.parametrize(
    ("line", "guard"),
    [
        ('if self.config.strategy == "fsdp2":', Guard("strategy", "==", "fsdp2")),
        ("elif args.dtype != 'bf16':", Guard("dtype", "!=", "bf16")),
        ('if strategy not in ["fsdp", "fsdp2"]:', Guard("strategy", "not in", "fsdp2")),
        ("if not self.config.bypass_mode:", Guard("bypass_mode", "falsy", "")),
        ("if cfg.actor.use_lora and ready:", Guard("actor.use_lora", "truthy", "")),
        ("assert world_size >= 2", Guard("world_size", ">=", "2")),
        ("if config.lora is not None:", Guard("lora", "is not", "None")),
        ('if cfg["mode"] == "async":', Guard("cfg.mode", "==", "async")),
    ],
)
def test_a_comparison_with_a_setting_is_a_guard(line: str, guard: Guard) -> None:
    wanted = Guard(guard.key.removeprefix("cfg."), guard.operator, guard.value)

    assert wanted in set(guards_of(line))


def test_an_assignment_is_no_guard() -> None:
    assert list(guards_of('strategy = "fsdp2"')) == []


def test_a_hunk_header_names_the_function_of_a_kernel() -> None:
    kernel = changed("csrc/a.cu", ("x;",), header="__global__ void rms_norm_kernel(float* out,")
    method = changed("csrc/a.cpp", ("x;",), header="int64_t Cache::size() const {")
    klass = changed("csrc/a.h", ("x;",), header="struct KernelTraits : Base {")

    assert functions_of_headers(kernel) == ("rms_norm_kernel",)
    assert functions_of_headers(method) == ("Cache::size",)
    assert functions_of_headers(klass) == ("KernelTraits",)


def test_known_functions_win_over_headers() -> None:
    file = changed("pkg/a.py", ("    return 1",), header="class Trainer:")

    facts = diff_facts(CommitDiff("a" * 40, (file,)), {"pkg/a.py": ("Trainer.fit",)})

    assert facts.files[0].functions == ("Trainer.fit",)


def test_lists_are_capped() -> None:
    lines = tuple(f'name_{n} = "some text {n}"' for n in range(3_000))

    facts = diff_facts(CommitDiff("a" * 40, (changed("pkg/a.py", lines),)))

    assert len(facts.identifiers) <= 800
    assert len(facts.strings) <= 200


@pytest.mark.parametrize(
    "line",
    [
        "config." * 280,
        "a." * 950 + " == ",
        "if " + "not " * 480,
        '"' * 1_999,
        "cfg" + '["a"]' * 390,
        "x in [" + '"a",' * 480,
        "getattr(" * 240,
        "((((" * 490 + "a:",
    ],
)
def test_a_hostile_line_ends(line: str) -> None:
    """A pattern that backtracks without bound would not come back from these."""
    tokens = Tokens(names=10, strings=10)

    tokens.gather(line)

    assert all(len(key) <= len(line) for key in keys_read(line))
    assert all(len(guard.value) <= 80 for guard in guards_of(line))
    assert len(tokens.names) <= 10
