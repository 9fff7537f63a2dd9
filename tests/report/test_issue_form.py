"""An upstream's own issue form is read; what cannot be read falls back to the general one."""

from __future__ import annotations

import pytest

from watcher.report.issue_form import FOLDER, GENERAL_FORM, Asks, choose_form, parse_form

FORM = """
name: Bug
title: "[Bug]: "
body:
  - type: markdown
    attributes: {value: "Thanks!"}
  - type: textarea
    attributes: {label: "System Info"}
    validations: {required: true}
  - type: checkboxes
    attributes:
      label: Information
      options:
        - label: "my own script"
        - label: "an example"
  - type: textarea
    attributes: {label: Bug description}
  - type: textarea
    attributes: {label: "Expected behavior"}
"""


def test_a_form_gives_its_fields_in_order() -> None:
    form = parse_form("bug.yml", FORM)

    assert form is not None
    assert form.title == "[Bug]:"
    assert [(one.label, one.asks) for one in form.fields] == [
        ("System Info", Asks.ENVIRONMENT),
        ("Information", Asks.CHOICE),
        ("Bug description", Asks.REPRODUCTION),
        ("Expected behavior", Asks.EXPECTED),
    ]
    assert form.fields[1].options == ("my own script", "an example")


def test_the_bug_form_is_chosen_among_others() -> None:
    feature = FORM.replace("System Info", "Motivation")

    form = choose_form(
        {f"{FOLDER}/100-feature-request.yml": feature, f"{FOLDER}/400-bug-report.yml": FORM}
    )

    assert form.path.endswith("400-bug-report.yml")


def test_a_markdown_template_gives_its_headings() -> None:
    text = (
        "---\nname: Bug\ntitle: '[BUG] '\n---\n**Describe the bug**\n\n## Environment\n- torch:\n"
    )

    form = choose_form({f"{FOLDER}/bug_report.md": text})

    assert [one.asks for one in form.fields] == [Asks.REPRODUCTION, Asks.ENVIRONMENT]
    assert form.title == "[BUG]"


BROKEN = [
    "body: [",
    "- a\n- b",
    "",
    "body: 3",
    "body:\n  - 7\n",
    "body: " + "[" * 500,
    "a: &a [x, x]\nb: &b [*a, *a]\nbody: [*b, *b]",
    "!!python/object/apply:os.system ['true']",
]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_form_falls_back_to_the_general_one(text: str) -> None:
    assert choose_form({f"{FOLDER}/bug.yml": text}) == GENERAL_FORM
