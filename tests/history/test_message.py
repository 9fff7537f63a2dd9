import pytest

from tests.builders import raw_commit, shipped_profile
from watcher.facts.kind import Kind
from watcher.facts.message import MentionKind, Message
from watcher.history.message import parse_message, split_message


def parsed(text: str, profile: str = "verl") -> Message:
    return parse_message(raw_commit(text), shipped_profile(profile), frozenset())


@pytest.mark.parametrize(
    ("profile", "text", "number"),
    [
        ("verl", "[x] fix: y (#12)", 12),
        ("verl", 'Revert "[x] fix: y (#12)" (#14)', 14),
        ("verl", 'Revert "[x] fix: y (#12)"', None),
        ("vllm", "Restore buffers (#16) (#18)", 18),
        ("vllm", "Use kernel (other/repo#39)", None),
        ("generic", "Merge pull request #31 from ada/branch\n\nKeep the tail", 31),
        ("generic", "A lone commit", None),
        ("verl", "[x] fix: " + "very " * 4_000 + "long (#9)", 9),
        ("torchtitan", "Title\n\nPull-Request: https://github.com/pytorch/torchtitan/pull/41", 41),
        ("torchtitan", "Title\n\nPull-Request-resolved: #42", 42),
        (
            "pytorch",
            "Title (#5)\n\nPull-Request: #6\nPull Request resolved: #7",
            7,
        ),
        (
            "pytorch",
            "Title (#5)\n\nPull Request resolved: https://github.com/other/repo/pull/6",
            5,
        ),
        ("pytorch", "Title (#5)", 5),
        ("pytorch", 'Revert "Title (#5)"\n\nThis reverts commit 0123abcdef.', None),
    ],
)
def test_the_number_follows_the_landing_rule(profile: str, text: str, number: int | None) -> None:
    assert parsed(text, profile).number == number


def test_a_merge_commit_takes_its_title_from_the_body() -> None:
    message = parsed("Merge pull request #31 from ada/x\n\n[data] fix: keep it\n\nWhy", "generic")

    assert (message.title, message.kind) == ("[data] fix: keep it", Kind.FIX)
    assert message.subject == "Merge pull request #31 from ada/x"


def test_a_message_is_told_whole() -> None:
    message = parsed(
        "[BREAKING][fsdp, ckpt] fix: save the last shard (#12)\n\n"
        "### What does this PR do?\n\nFixes #9, a bug introduced in #5.\n\n"
        "Signed-off-by: Ada <ada@example.org>"
    )

    assert message.title == "[BREAKING][fsdp, ckpt] fix: save the last shard"
    assert message.body == "Fixes #9, a bug introduced in #5."
    assert message.raw_body.startswith("### What does")
    assert message.breaking
    assert message.tags == ("fsdp", "ckpt")
    assert message.facets == ("fsdp", "ckpt")
    assert message.closes == (9,)
    assert [(m.number, m.kind) for m in message.mentions] == [
        (5, MentionKind.INTRODUCED_BY),
        (9, MentionKind.PLAIN),
    ]


def test_the_body_names_no_facets() -> None:
    assert parsed("[data] fix: rows (#1)\n\nTried with vllm and megatron.").facets == ("data",)


@pytest.mark.parametrize(
    ("subject", "targets"),
    [
        ('Revert "[x] fix: y (#12)" (#14)', {"[x] fix: y", 12}),
        ('Revert "[x] fix: y" (#12) (#14)', {"[x] fix: y", 12}),
        ("Revert #12 and #13 (#14)", {"#12 and #13", 12, 13}),
        ("[CI] Revert PRs 120 and 130 (#14)", {"PRs 120 and 130", 120, 130}),
        ("[CI] Revert #12 to fix CI 99 (#14)", {"#12 to fix CI 99", 12}),
        ("[Misc] Revert FA on ViT #12 and #13 (#14)", {"FA on ViT #12 and #13", 12, 13}),
        ('Revert #12 "[x] add it" (#14)', {'#12 "[x] add it', 12}),
        ("[Misc] Revert it (#12) to fix a hang (#14)", {"it (#12) to fix a hang", 12}),
        ("[Misc] Revert inspection code in #13 (#14)", {"inspection code in #13"}),
        ('Revert "[x] add it" (#12 and #13) (#14)', {'[x] add it" (#12 and #13)', 12, 13}),
    ],
)
def test_a_revert_names_its_targets_in_the_title(subject: str, targets: set[object]) -> None:
    mentions = parsed(subject, "vllm").mentions

    assert {m.kind for m in mentions} == {MentionKind.REVERTS}
    assert {m.number or m.title for m in mentions} == targets


def test_a_hostile_title_is_made_plain() -> None:
    message = parsed("[x] fix: \x1b[31mred\x1b[0m \u202e<b>bold</b>\x00 (#1)")

    assert message.title == "[x] fix: red <b>bold</b>"
    assert "\x00" not in message.subject + message.raw_body


def test_a_message_without_words_still_has_a_title() -> None:
    message = parsed("")

    assert message.title == message.sha[:9]
    assert message.kind is Kind.OTHER


@pytest.mark.parametrize(
    ("text", "subject", "body"),
    [
        ("\n\nOne\nTwo", "One", "Two"),
        ("One\n\n\nTwo\n", "One", "Two"),
        ("a" * 5_000 + " (#7)", "a" * 958 + "… " + "a" * 35 + " (#7)", ""),
        ("One\n" + "b" * 100_000, "One", "b" * 65_536),
    ],
)
def test_subject_and_body_are_parted_and_bounded(text: str, subject: str, body: str) -> None:
    assert split_message(text) == (subject, body)
