import pytest

from watcher.facts.message import MentionKind
from watcher.history.mentions import MENTION_LIMIT, find_mentions

ENGINE = ("acme/engine", "oldacme/engine")


def kinds(text: str, own: int | None = None) -> dict[object, MentionKind]:
    found = find_mentions(text, ENGINE, own=own)
    return {m.number or m.sha or m.title: m.kind for m in found.mentions}


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        ("Fixes #12", (12,)),
        ("fix: #12", (12,)),
        ("FIX #12, #13 and #14", (12, 13, 14)),
        ("Closes https://github.com/acme/engine/issues/12", (12,)),
        ("Resolves https://github.com/OldAcme/engine/issues/12#issuecomment-9", (12,)),
        ("resolved [the issue](https://github.com/acme/engine/issues/12)", (12,)),
        ("Fixes acme/engine#12", (12,)),
        ("Fixes issue #12", (12,)),
        ("Fixes other/repo#12", ()),
        ("Fixes https://github.com/other/repo/issues/12", ()),
        ("Similar fix: #12", ()),
        ("Fixes the mesh case of #12", ()),
        ("see #12", ()),
        ("```\nFixes #12\n```", ()),
    ],
)
def test_closing_references_are_those_of_this_upstream(text: str, closes: tuple[int, ...]) -> None:
    assert find_mentions(text, ENGINE).closes == closes


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The leak was introduced in #77.", MentionKind.INTRODUCED_BY),
        ("Fixes a bug caused by the refactor in #77", MentionKind.INTRODUCED_BY),
        ("a regression from #77", MentionKind.INTRODUCED_BY),
        ("#77 broke the loader", MentionKind.INTRODUCED_BY),
        ("#77, which accidentally dropped the flag", MentionKind.INTRODUCED_BY),
        ("a follow-up fix of #77", MentionKind.INTRODUCED_BY),
        ("so reverting #77 restores it", MentionKind.INTRODUCED_BY),
        ("bisected to #77", MentionKind.INTRODUCED_BY),
        ("After #77 the shards are cut", MentionKind.AFTER),
        ("Follow-up to #77", MentionKind.FOLLOW_UP),
        ("This is a followup of https://github.com/acme/engine/pull/77", MentionKind.FOLLOW_UP),
        ("This reverts #77", MentionKind.REVERTS),
        ("Reverts oldacme/engine#77", MentionKind.REVERTS),
        ("[Attention] Restore the fallback (reverts #77)", MentionKind.REVERTS),
        ("Fix for #77", MentionKind.INTRODUCED_BY),
        (
            "introduced in [the\npool](https://github.com/acme/engine/pull/77)",
            MentionKind.INTRODUCED_BY,
        ),
        ("Reland of #77", MentionKind.RELANDS),
        ("Backport #77 to release", MentionKind.BACKPORT_OF),
        ("Cherry-pick of #77", MentionKind.BACKPORT_OF),
        ("Issue: #77", MentionKind.ABOUT),
        ("related to https://github.com/acme/engine/issues/77", MentionKind.ABOUT),
        ("Fixes the mesh case of #77", MentionKind.ABOUT),
        ("#77 (root issue)", MentionKind.ABOUT),
        ("Similar fix: #77", MentionKind.ABOUT),
        ("see #77", MentionKind.PLAIN),
        ("PR#77", MentionKind.PLAIN),
        ("not introduced by #77", MentionKind.PLAIN),
        ("the problem solved in #77", MentionKind.PLAIN),
        ("#77 introduces a new pool", MentionKind.PLAIN),
        ("It was reverted by #77", MentionKind.PLAIN),
    ],
)
def test_the_words_around_a_reference_tell_its_kind(text: str, kind: MentionKind) -> None:
    assert kinds(text) == {77: kind}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("(cherry picked from commit 0123abcdef99)", {"0123abcdef99": MentionKind.BACKPORT_OF}),
        ("This reverts commit 0123abc.", {"0123abc": MentionKind.REVERTS}),
        ("Fixes: 0123abcdef", {"0123abcdef": MentionKind.INTRODUCED_BY}),
        (
            'broken by "[data] feat: pack rows"',
            {"[data] feat: pack rows": MentionKind.INTRODUCED_BY},
        ),
        ("see https://github.com/acme/engine/commit/0123abc", {"0123abc": MentionKind.PLAIN}),
        ("version 20240101 or deadbee", {}),
        ('the "quoted words of someone" here', {}),
        ("other/repo#5, https://github.com/other/repo/pull/6, v1.2#7.5", {}),
        ("[their fix #9](https://github.com/other/repo/pull/9)", {}),
    ],
)
def test_object_names_titles_and_links_are_references_of_this_upstream_only(
    text: str, named: dict[object, MentionKind]
) -> None:
    assert kinds(text) == named


def test_a_change_does_not_mention_itself() -> None:
    assert kinds("Fixes #5 as #77 says", own=77) == {5: MentionKind.PLAIN}


def test_a_quote_holds_the_words_around() -> None:
    found = find_mentions("Title\n\nThe leak was introduced in #77 by mistake.", ENGINE)

    assert found.mentions[0].quote == "The leak was introduced in #77 by mistake."


def test_lists_of_references_share_their_phrase() -> None:
    assert kinds("introduced in #7 and #8") == dict.fromkeys((7, 8), MentionKind.INTRODUCED_BY)


@pytest.mark.parametrize(
    "text",
    [
        "#1 " * 30_000,
        "introduced in " * 8_000 + "#5",
        "a/" * 30_000 + "#5",
        "[" * 30_000 + "](" * 10_000,
        '"' * 30_000,
        "0a" * 30_000,
        "https://github.com/acme/engine/pull/" * 2_000,
    ],
)
def test_a_hostile_text_is_bounded(text: str) -> None:
    assert len(find_mentions(text, ENGINE).mentions) <= MENTION_LIMIT


def test_a_reference_glued_to_a_path_or_an_address_is_none() -> None:
    assert kinds("a/#5 and b/c/d/#6 and &#39;") == {}


def test_long_surroundings_are_cut_at_words() -> None:
    words = "word " * 40

    quote = find_mentions(f"{words} introduced in #77 {words}", ENGINE).mentions[0].quote

    assert "introduced in #77" in quote
    assert len(quote) <= 120
    assert {part for part in quote.split() if part.startswith("w")} == {"word"}
