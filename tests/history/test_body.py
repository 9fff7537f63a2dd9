import pytest

from tests.builders import shipped_profile
from watcher.history.body import (
    BODY_LIMIT,
    boilerplate,
    clean_body,
    own_lines,
    plain_text,
    valid_text,
    without_code,
    without_comments,
)

VERL = shipped_profile("verl")


def cleaned(raw: str, common: frozenset[str] = frozenset(), profile: str = "verl") -> str:
    rules = shipped_profile(profile)
    return clean_body(own_lines(raw, rules), rules, common)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07bell", "bell"),
        ("a\x00b\x07c\x1b", "abc"),
        ("tab\tand\r\nline\rend", "tab\tand\nline\nend"),
        ("safe\u202eevil\u2069\u200b", "safeevil"),
        ("half \ud800 pair", "half  pair"),
        ("中文 stays, é too", "中文 stays, é too"),
    ],
)
def test_what_cannot_be_seen_is_taken_out(raw: str, plain: str) -> None:
    assert plain_text(raw) == plain


def test_raw_text_is_kept_but_for_what_no_store_takes() -> None:
    assert valid_text("\x1b[31ma\x00b\udc80") == "\x1b[31mab\ufffd"


@pytest.mark.parametrize(
    ("raw", "rest"),
    [
        ("a <!-- note --> b", "a  b"),
        ("a <!-- one\ntwo --> b <!-- c -->", "a  b "),
        ("a <!-- open", "a "),
        ("a --> b", "a --> b"),
    ],
)
def test_comments_are_left_out(raw: str, rest: str) -> None:
    assert without_comments(raw) == rest


def test_fenced_code_is_left_out_for_references() -> None:
    assert without_code("see\n```\n#1 0x00 in frame\n```\nend") == "see\nend"


def test_a_template_leaves_only_what_the_author_wrote() -> None:
    raw = """### What does this PR do?

Keeps the last shard.

### Checklist Before Starting

- [ ] Search for similar PRs. Paste at least one query link here: ...
  - `{type}` is in `feat`, `fix`, `refactor`, `chore`, `test`

### API and Usage Example

> Demonstrate how the API changes if any, and provide usage example(s)
if possible.

### Design & Code Changes

> Demonstrate the high-level design if this PR is complex, and list the
specific changes.

- guard the tail

### Checklist Before Submitting

> [!IMPORTANT]
- [x] Read the guide

---------

Signed-off-by: Ada <ada@example.org>
Co-authored-by: Bob <bob@example.org>"""

    assert cleaned(raw) == (
        "Keeps the last shard.\n\n### Design & Code Changes\n\n- guard the tail"
    )


def test_trailers_of_the_merge_bot_are_left_out() -> None:
    raw = (
        "Keeps it.\n\nghstack-source-id: 0abc\n"
        "Pull Request resolved: https://github.com/pytorch/pytorch/pull/7\n"
        "Approved by: https://github.com/ada\ncc @bob"
    )

    assert cleaned(raw, profile="pytorch") == "Keeps it."


def test_a_quoted_text_of_the_author_stays() -> None:
    raw = ">When saving, the last shard is lost."

    assert cleaned(raw) == raw


def test_lines_of_many_bodies_are_boilerplate_whatever_their_numbers() -> None:
    bodies = [f"Tested on runner {n}.\nOwn words {chr(97 + n)}." for n in range(6)]

    common = boilerplate(bodies)

    assert common == {"tested on runner 0."}
    assert cleaned(bodies[0], common) == "Own words a."


def test_headings_fences_and_error_lines_are_never_boilerplate() -> None:
    body = "## Why\n```python\nTraceback (most recent call last):\nValueError: bad\n```"

    common = boilerplate([body] * 9)

    assert common == frozenset()
    assert cleaned(body, common) == body


def test_headings_with_nothing_below_are_dropped_and_parents_stay() -> None:
    raw = "## Empty\n\n## Full\n### Part\ntext\n## Tail\n"

    assert cleaned(raw) == "## Full\n### Part\ntext"


@pytest.mark.parametrize(
    "raw",
    [
        "<!--" * 20_000,
        "#" * 60_000,
        "- " * 30_000,
        "\n" * 60_000,
        (" " * 1_999 + "\n") * 30,
        ("# " + "#" * 1_990 + "x\n") * 30,
        ("#" + " " * 1_990 + "x\n") * 30,
    ],
)
def test_a_hostile_body_is_cleaned_and_bounded(raw: str) -> None:
    assert len(cleaned(raw)) <= BODY_LIMIT
