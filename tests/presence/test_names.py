"""Which names lines of code use, and which they give a meaning themselves."""

from __future__ import annotations

from watcher.presence.names import NameBirths, names_bound, names_in


def test_attributes_that_are_read_and_keyword_arguments_are_names() -> None:
    names = names_in(["self._dump(gts=sample_gts, ids=self.runner.input_ids.gpu[:n])"])

    assert {"gts=", "sample_gts", "runner.input_ids", "input_ids.gpu"} <= names


def test_everyday_words_methods_and_comments_are_not() -> None:
    assert names_in(["# see config_v2", "value = block.encode(text)", "return result"]) == set()


def test_what_lines_assign_define_or_take_is_bound() -> None:
    bound = names_bound(
        [
            "local_path, self.cache_dir = find()",
            "def load(file_name, max_len: int = 3):",
            "for batch_id in ids:",
            "with open(path) as text_file:",
        ]
    )

    assert {"local_path", "cache_dir", "load", "max_len", "batch_id", "text_file"} <= bound


def test_a_keyword_argument_on_its_own_line_is_not_bound() -> None:
    assert "sample_gts" not in names_bound(["    gts=sample_gts,"])


def test_a_name_keeps_its_first_birth() -> None:
    births = NameBirths()
    births.add(["use(max_len)"], 3)
    births.add(["use(max_len, min_len)"], 8)

    assert births.known({"max_len", "min_len", "other_len"}) == [(8, "min_len"), (3, "max_len")]


def test_names_of_the_first_files_are_older_than_any_position() -> None:
    births = NameBirths()
    births.seed([["use(max_len)"], ["use(top_k=1)"]])
    births.add(["use(max_len, min_len)"], 3)

    assert births.known({"max_len", "min_len", "top_k", "other_len"}) == [
        (3, "min_len"),
        (-1, "max_len"),
        (-1, "top_k"),
    ]
