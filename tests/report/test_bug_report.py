"""A report follows the upstream's form, tells each part once, and lets nothing private out."""

from __future__ import annotations

import json

from watcher.report.bug_report import (
    BugReport,
    Similar,
    missing_parts,
    render_report,
    report_json,
)
from watcher.report.issue_form import Asks, Field, IssueForm
from watcher.report.redact import Private

REPORT = BugReport(
    upstream="acme/engine",
    summary="RuntimeError: boom on 10.0.0.7",
    words="it breaks @everyone <script>",
    environment=(("engine (acme/engine)", "v1.0, commit abc"), ("torch", "2.6.0")),
    entry_points=("engine.train",),
    settings=(("actor.strategy", "fsdp2"),),
    variables=(("HF_TOKEN", "hf_abcdefghijklmnopqrstuvwx"),),
    log="Traceback\nRuntimeError: boom on 10.0.0.7",
    missing=("what you expected",),
    similar=(Similar(name="#7", title="[x](y) boom", url="https://x.test/7", state="open"),),
    private=Private(hosts=("gpu-box-1",)),
)


def test_the_general_form_asks_for_everything_once() -> None:
    text = render_report(REPORT).text

    assert text.count("actor.strategy=fsdp2") == 1
    assert text.count("commit abc") == 1
    assert text.count("RuntimeError: boom") == 1
    assert "python -m engine.train" in text
    assert "- [ ] what you expected" in text


def test_the_order_is_the_forms_own_and_gaps_are_to_be_filled_in() -> None:
    form = IssueForm(
        path="bug.yml",
        title="[Bug]:",
        fields=(
            Field(label="Describe", asks=Asks.REPRODUCTION),
            Field(label="Have you searched?", asks=Asks.CHOICE, options=("yes",)),
            Field(label="Expected", asks=Asks.EXPECTED),
        ),
    )

    rendered = render_report(BugReport(upstream="a/b", form=form, words="w", summary="s"))

    headings = [line for line in rendered.text.splitlines() if line.startswith("### ")]
    assert headings == [
        "### Describe", "### Have you searched?", "### Expected", "### Environment", "### Log",
    ]  # fmt: skip
    assert "- [ ] yes" in rendered.text
    assert rendered.title == "[Bug]: s"


def test_nothing_private_leaves_in_any_form() -> None:
    rendered = render_report(REPORT)

    document = json.dumps(report_json(REPORT, rendered))

    assert "10.0.0.7" not in document
    assert "hf_abc" not in document
    assert dict(rendered.removed)["ip"] >= 2


def test_strangers_and_users_words_stay_words() -> None:
    text = render_report(REPORT).text

    assert "@everyone" not in text
    assert "\\<script\\>" in text
    assert "\\[x\\]\\(y\\) boom" in text


def test_what_is_missing_follows_what_is_there() -> None:
    bare = missing_parts(BugReport(upstream="a/b"), ["ray"], has_driver=False)
    full = missing_parts(
        BugReport(
            upstream="a/b",
            words="w",
            log="(WorkerDict pid=7) error",
            entry_points=("x",),
            settings=(("k", "v"),),
        ),
        [],
        has_driver=True,
    )

    assert any("--log" in one for one in bare)
    assert any("without Ray" in one for one in bare)
    assert full == ["what you expected", "whether it happens on the newest version, too"]


def test_the_workers_part_is_missed_when_the_log_lacks_it() -> None:
    report = BugReport(upstream="a/b", log="ray.exceptions.RayActorError: died")

    assert any("Ray workers" in one for one in missing_parts(report, ["ray"], has_driver=True))
