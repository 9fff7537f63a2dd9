import pytest

from tests.builders import shipped_profile
from watcher.facts.kind import Kind
from watcher.history.titles import kind_of, parse_title


@pytest.mark.parametrize(
    ("subject", "title", "numbers"),
    [
        ("[x] fix: y (#12)", "[x] fix: y", (12,)),
        ("Restore buffers (#16) (#18)", "Restore buffers", (16, 18)),
        ("Use kernel (other/repo#39) (#44)", "Use kernel", (44,)),
        ("Plain", "Plain", ()),
        ("Issue (#3) in the middle", "Issue (#3) in the middle", ()),
        ("", "", ()),
    ],
)
def test_numbers_at_the_end_are_no_part_of_the_title(
    subject: str, title: str, numbers: tuple[int, ...]
) -> None:
    parsed = parse_title(subject)

    assert (parsed.title, parsed.numbers) == (title, numbers)


@pytest.mark.parametrize(
    ("subject", "tags", "type_", "text"),
    [
        ("[fsdp, ckpt] fix: keep it", ("fsdp", "ckpt"), "fix", "keep it"),
        ("[ckpt]fix:keep it", ("ckpt",), "fix", "keep it"),
        ("[ckpt]: keep it", ("ckpt",), "", "keep it"),
        ("Fix: keep it", (), "fix", "keep it"),
        (" [data] feat : add", ("data",), "feat", "add"),
        ("[2/n][BREAKING][rollout] refactor: x", ("rollout",), "refactor", "x"),
        ("fix(pooling)!: x", ("pooling",), "fix", "x"),
        ("[Bugfix][V1] Guard it", ("bugfix", "v1"), "", "Guard it"),
        ("[`Revert`] x", ("revert",), "", "x"),
        ("Add a thing: with a colon", (), "", "Add a thing: with a colon"),
    ],
)
def test_titles_are_read_leniently(
    subject: str, tags: tuple[str, ...], type_: str, text: str
) -> None:
    parsed = parse_title(subject, shipped_profile("verl").title_pattern)

    assert (parsed.tags, parsed.type, parsed.text) == (tags, type_, text)


@pytest.mark.parametrize(
    ("subject", "is_breaking"),
    [
        ("[BREAKING][data] feat: x", True),
        ("[BREAKING] [data] feat: x", True),
        ("feat(api)!: x", True),
        ("[data] fix: breaking news", False),
    ],
)
def test_breaking_changes_say_so(subject: str, is_breaking: bool) -> None:
    assert parse_title(subject, shipped_profile("verl").title_pattern).is_breaking is is_breaking


@pytest.mark.parametrize(
    ("subject", "depth", "is_reland", "quoted"),
    [
        ('Revert "[a] feat: x (#1)" (#2)', 1, False, "[a] feat: x (#1)"),
        ('Revert "Revert "[a] feat: x""', 2, False, "[a] feat: x"),
        ("Revert [Misc] plain words (#1) (#2)", 1, False, "[Misc] plain words"),
        ("[ci] fix: revert the version", 1, False, "the version"),
        ("[Reland] Add it (#3)", 0, True, "Add it"),
        ('Reapply "Add it" (#3)', 0, True, "Add it"),
        ("Back out the pool", 1, False, "the pool"),
        ("Revert-safe shutdown", 0, False, ""),
        ("Reverting is hard to do in tests", 1, False, "is hard to do in tests"),
    ],
)
def test_reverts_and_relands_are_unwrapped(
    subject: str, depth: int, is_reland: bool, quoted: str
) -> None:
    parsed = parse_title(subject)

    assert (parsed.reverts, parsed.is_reland, parsed.quoted) == (depth, is_reland, quoted)


@pytest.mark.parametrize(
    ("profile", "subject", "kind"),
    [
        ("verl", "[fsdp] fix: shards (#1)", Kind.FIX),
        ("verl", "[ci] fix: runner (#1)", Kind.FIX),
        ("verl", "[ci] chore: runner (#1)", Kind.CI),
        ("verl", "[doc] feat: page (#1)", Kind.DOCS),
        ("verl", "[fsdp, doc] feat: page (#1)", Kind.FEATURE),
        ("verl", "[data] chrore: tidy (#1)", Kind.CHORE),
        ("verl", "[data] feat: avoid copies (#1)", Kind.FEATURE),
        ("verl", "[data] feat: loader and fix a crash on empty files (#1)", Kind.FIX),
        ("verl", "[data] chore: fix typos (#1)", Kind.CHORE),
        ("verl", "[ckpt]: restore the step (#1)", Kind.FIX),
        ("verl", "[hardware] new card support (#1)", Kind.FEATURE),
        ("vllm", "[Bugfix][ROCm] Guard it (#1)", Kind.FIX),
        ("vllm", "[BugFix] Revert the pool change (#1)", Kind.FIX),
        ("vllm", "bugfix: guard it (#1)", Kind.FIX),
        ("vllm", "[CI][Bugfix] Guard it (#1)", Kind.CI),
        ("vllm", "[Doc] Fix a link (#1)", Kind.DOCS),
        ("vllm", "[Perf] Cache the plan (#1)", Kind.PERF),
        ("vllm", "[Misc] Revert the pool change (#1)", Kind.REVERT),
        ("vllm", "Restore buffers when woken (#1)", Kind.FIX),
        ("vllm", "[Frontend] Consolidate middleware (#1)", Kind.OTHER),
        ("vllm", 'Revert "[Bugfix] Guard it" (#1)', Kind.REVERT),
        ("vllm", 'Revert "Revert "[Bugfix] Guard it"" (#1)', Kind.FIX),
        ("pytorch", "[FSDP2] Fix the mesh (#1)", Kind.FIX),
        ("generic", "perf: pack", Kind.PERF),
    ],
)
def test_the_kind_follows_type_tags_and_words(profile: str, subject: str, kind: Kind) -> None:
    rules = shipped_profile(profile)

    title = parse_title(subject, rules.title_pattern)

    assert kind_of(title, rules, closes=False, body="") is kind


def test_a_feature_that_closes_the_report_of_a_crash_is_a_fix() -> None:
    rules = shipped_profile("verl")
    title = parse_title("[data] feat: read empty files (#1)")

    body = "Without it:\nValueError: no columns"

    assert kind_of(title, rules, closes=True, body=body) is Kind.FIX
    assert kind_of(title, rules, closes=True, body="A wish of many.") is Kind.FEATURE
    assert kind_of(title, rules, closes=False, body=body) is Kind.FEATURE


@pytest.mark.parametrize(
    "subject",
    ["[" * 5000, "a " * 5000, "[a]" * 3000, "(#1) " * 3000, 'Revert "' * 2000, "x:" * 5000],
)
def test_a_hostile_subject_is_read_quickly_and_bounded(subject: str) -> None:
    assert len(parse_title(subject).title) <= 500
