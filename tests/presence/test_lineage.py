"""The line table: what a line's life is after it was made, edited, moved, deleted, brought back."""

from __future__ import annotations

from pathlib import Path

from tests.builders import GitRepo
from tests.presence.stories import code, story, told
from watcher.history.diff import parse_log
from watcher.presence.chains import Form, birth, form_at, last_touch
from watcher.presence.lineage import Lineage
from watcher.presence.record import decode

LONG = "    copied = shard.detach().to(device, non_blocking=True)"
OTHER = "    total_number_of_steps = len(loader) // gradient_accumulation"


def lives_after(*trees: dict[str, list[str]], path: str = "pkg/a.py") -> list[tuple[int, ...]]:
    lineage = Lineage()
    told(lineage, story(*trees))
    return [lineage.chains.steps(provenance) for provenance in lineage.lines[path]]


def test_a_line_that_stays_keeps_the_position_that_made_it() -> None:
    lives = lives_after({"pkg/a.py": ["one"]}, {"pkg/a.py": ["zero", "one", "two"]})

    assert [birth(life) for life in lives] == [1, 0, 1]


def test_an_edited_line_is_there_before_in_an_earlier_form() -> None:
    [life] = lives_after({"pkg/a.py": [LONG]}, {"pkg/a.py": [LONG.replace("True", "False")]})

    assert (birth(life), last_touch(life)) == (0, 1)
    assert form_at(life, 0) is Form.EARLIER
    assert form_at(life, 1) is Form.SAME


def test_a_line_moved_to_another_file_keeps_its_birth() -> None:
    lives = lives_after(
        {"pkg/a.py": [LONG, OTHER], "pkg/b.py": ["x = 1"]},
        {"pkg/a.py": [OTHER], "pkg/b.py": ["x = 1", LONG]},
        path="pkg/b.py",
    )

    assert [birth(life) for life in lives] == [0, 0]


def test_a_line_brought_back_was_there_gone_and_there_again() -> None:
    [_, life] = lives_after(
        {"pkg/a.py": [OTHER, LONG]}, {"pkg/a.py": [OTHER]}, {"pkg/a.py": [OTHER, LONG]}
    )

    assert [form_at(life, position) for position in (0, 1, 2)] == [
        Form.SAME,
        Form.NONE,
        Form.SAME,
    ]


def test_reformatting_and_indenting_change_nothing() -> None:
    lives = lives_after(
        {"pkg/a.py": ["f(alpha, beta)", "value = 'x'"]},
        {"pkg/a.py": ["f(", "    alpha,", "    beta,", ")", 'value = "x"']},
    )

    assert {birth(life) for life in lives} == {0}
    assert {last_touch(life) for life in lives} == {0}


def test_documents_are_not_followed() -> None:
    lineage = Lineage()

    told(lineage, story({"docs/guide.md": ["words"], "pkg/a.py": ["x = 1"]}))

    assert list(lineage.lines) == ["pkg/a.py"]


def test_a_record_rests_on_code_before_configuration_before_tests() -> None:
    lineage = Lineage()
    before = {"pkg/a.py": [LONG], "conf/a.yaml": ["depth: 3"], "tests/test_a.py": ["check(one)"]}
    after = {"pkg/a.py": [OTHER], "conf/a.yaml": ["depth: 4"], "tests/test_a.py": ["check(two)"]}

    record = decode(told(lineage, story(before, after))[1].record)

    assert record.scope == "code"
    assert [line.path for line in record.lines] == ["pkg/a.py"]


def test_a_change_of_tests_alone_says_so() -> None:
    lineage = Lineage()
    before = {"tests/test_a.py": ["check(one_thing)"]}

    applied = told(lineage, story(before, {"tests/test_a.py": ["check(another)"]}))

    assert decode(applied[1].record).scope == "tests"


def test_functions_are_named_before_and_after_the_change() -> None:
    before = code("""
class Trainer:
    def fit(self):
        return 1
""")
    after = code("""
class Trainer:
    def fit(self):
        return 2

    @cached
    def resume(self):
        return 3
""")

    applied = told(Lineage(), story({"pkg/a.py": before}, {"pkg/a.py": after}))

    assert applied[1].functions["pkg/a.py"] == ("Trainer.fit", "Trainer.resume")


def test_a_seeded_table_knows_the_base_as_older_than_the_range() -> None:
    lineage = Lineage()
    lineage.seed([("pkg/a.py", b"one\ntwo\n"), ("docs/a.md", b"x\n")])

    [applied] = told(lineage, [story({"pkg/a.py": ["one", "two"]}, {"pkg/a.py": ["one"]})[1]])

    assert list(lineage.lines["pkg/a.py"]) == [-1]
    assert applied.functions == {"pkg/a.py": ()}


def test_the_table_has_the_lines_of_the_files_after_a_real_history(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    block = "".join(f"value_{n} = compute({n})\n" for n in range(30))
    repo.commit({"pkg/a.py": block, "pkg/b.py": "x = 1\n"})
    repo.commit({"pkg/a.py": None, "pkg/c.py": block + "extra = 1\n"})
    repo.commit({"pkg/b.py": "x = 2\ny = 3", "pkg/d.py": ""})
    log = repo.git("log", "--reverse", "-p", "-U0", "-M50", "--format=%x01%H")
    lineage = Lineage()

    told(lineage, list(parse_log([log.encode().split(b"\n")])))

    assert {path: len(lines) for path, lines in lineage.lines.items()} == {
        "pkg/b.py": 2,
        "pkg/c.py": 31,
        "pkg/d.py": 0,
    }
    assert [lineage.chains.birth(line) for line in lineage.lines["pkg/c.py"]] == [0] * 30 + [1]


def test_a_hunk_that_is_not_what_its_header_announces_says_nothing() -> None:
    lineage = Lineage()
    log = f"\x01{'a' * 40}\ndiff --git a/pkg/a.py b/pkg/a.py\n@@ -2 +2,2 @@\n-{LONG}\n-{OTHER}\n+x"

    [applied] = told(lineage, list(parse_log([log.encode().split(b"\n")])))

    assert decode(applied.record).removed == ()
