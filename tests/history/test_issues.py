"""Which issues are bug reports, and what their bodies say."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.github_stories import profile_of
from watcher.facts.issue import Issue
from watcher.facts.kind import State
from watcher.facts.symptom import Frame
from watcher.history.issue_body import FRAME_LIMIT, prose, read_body
from watcher.history.issues import is_bug_report, read_issue

AT = datetime(2026, 4, 13, tzinfo=UTC)

CRASH = """\
strategy=fsdp2, offload_policy=true with async rollout

```
(WorkerDict pid=812) Traceback (most recent call last):
(WorkerDict pid=812)   File "/opt/app/sharding/manager.py", line 120, in gather_weights
(WorkerDict pid=812)     shard = module.state_dict()
[rank0]:   File "/opt/app/sharding/tensors.py", line 8, in move
(WorkerDict pid=812) RuntimeError: storage is on cpu, wanted cuda:0
```
"""


def issue(body: str = "", title: str = "It breaks", **rest: Any) -> Issue:
    return Issue(
        upstream="verl-project/verl",
        number=1,
        title=title,
        body=body,
        raw_body=body,
        opened_at=AT,
        updated_at=AT,
        **rest,
    )


@pytest.mark.parametrize(
    ("reported", "is_bug"),
    [
        (issue(labels=("Bug",)), True),
        (issue(title="[BUG] nothing works"), True),
        (issue("### System Info\nlinux\n### Reproduction\nrun it"), True),
        (issue(CRASH), True),
        (issue("please add a new algorithm", title="Feature request"), False),
        (issue("### Reproduction\nonly one heading"), False),
        (issue("a ValueError was mentioned in passing", title="Question"), False),
    ],
)
def test_bug_reports_are_known_by_label_title_form_or_traceback(reported: Issue, is_bug: bool):
    assert is_bug_report(reported, profile_of().issues) is is_bug


def test_a_body_gives_errors_frames_and_settings():
    facts = read_body(CRASH)

    assert facts.errors == ("RuntimeError: storage is on cpu, wanted cuda:0",)
    assert facts.frames == (
        Frame("/opt/app/sharding/manager.py", "gather_weights", 120),
        Frame("/opt/app/sharding/tensors.py", "move", 8),
    )
    assert facts.settings[:2] == ("strategy=fsdp2", "offload_policy=true")


def test_options_of_a_command_are_settings():
    command = "python -m app.main actor.strategy=fsdp ++a.b=3 \\\n"
    body = command + "  --tensor-parallel-size 2 --enable-lora"

    assert read_body(body).settings == (
        "actor.strategy=fsdp",
        "a.b=3",
        "--tensor-parallel-size=2",
        "--enable-lora",
    )


def test_environment_dumps_give_versions():
    body = (
        "PyTorch version: 2.6.0+cu124\nCUDA runtime version: 12.4.131\n[pip3] numpy==1.26.4\n"
        "- `transformers` version: 4.51.3\nvLLM Version: 0.8.5.post1\n"
    )

    assert dict(read_body(body).versions) == {
        "torch": "2.6.0+cu124",
        "cuda": "12.4.131",
        "numpy": "1.26.4",
        "transformers": "4.51.3",
        "vllm": "0.8.5.post1",
    }


def test_prose_is_what_the_person_wrote():
    body = (
        "### System Info\n\n```\nCollecting environment information...\nPyTorch version: 2.6\n"
        "OS: x\n```\n### Reproduction\n- [x] I searched\n<!-- say how -->\n"
        "It hangs after step 3.\n_No response_\n"
    )

    assert "It hangs after step 3." in prose(body, ["System Info", "Reproduction"])
    assert "PyTorch version" not in prose(body, ["System Info", "Reproduction"])
    assert "System Info" not in prose(body, ["System Info", "Reproduction"])
    assert "I searched" not in prose(body, ["System Info", "Reproduction"])


def test_facets_come_from_title_labels_and_settings():
    read = read_issue(issue(CRASH, title="[fsdp] crash"), profile_of())

    assert "fsdp" in read.facets
    assert "megatron" not in read.facets


def test_a_stale_label_on_a_closed_issue_means_a_bot_closed_it():
    closed = issue(state=State.CLOSED, closed_at=AT, labels=("stale",))

    assert read_issue(closed, profile_of()).closed_by_bot


def test_a_traceback_of_ten_thousand_frames_keeps_the_inner_ones():
    rows = [f'  File "/a/b{n}.py", line {n + 1}, in f{n}\n    call()' for n in range(10_000)]

    facts = read_body("\n".join([*rows, "RecursionError: too deep"]))

    assert len(facts.frames) == FRAME_LIMIT
    assert facts.frames[-1].function == "f9999"
    assert facts.errors == ("RecursionError: too deep",)


def test_what_is_quoted_is_bounded():
    body = "\n".join(f"[pip3] package{n}==1.{n} key{n}.a={n}\nName{n}Error: no" for n in range(500))

    facts = read_body(body)

    assert len(facts.versions) == 80
    assert len(facts.settings) == 80
    assert len(facts.errors) == 20


def test_many_prefixes_and_words_that_are_no_package_are_passed_over():
    facts = read_body("> " * 12 + "x\nport: 80.1.2\n--flag= text a=a pid=3 plain=(1")

    assert facts.versions == ()
    assert facts.settings == ()


HOSTILE = {
    "unclosed comments": "<!--" * 25_000,
    "dots": "a." * 50_000,
    "equals": "a=" * 50_000,
    "brackets": "[" * 100_000,
    "parentheses": "(" * 50_000 + ")" * 50_000,
    "dashes": "--a " * 25_000,
    "files": 'File "' * 15_000,
    "short lines": "x\n" * 50_000,
    "headings": "# a #\n" * 16_000,
    "blank lines": "\n" * 100_000,
    "tags": "<details " * 11_000,
    "script": "<script>alert(1)</script>" * 4_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_no_body_of_100_kb_takes_long(body: str):
    started = time.process_time()
    read_issue(issue(body), profile_of())
    is_bug_report(issue(body), profile_of().issues)

    assert time.process_time() - started < 5.0


@given(st.text(max_size=400))
def test_any_text_is_read(body: str):
    read_issue(issue(body), profile_of())
