"""Upstream's Markdown and patches become harmless HTML, whatever they hold."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.dangers import Page
from watcher.web.markup import markdown_html, patch_view

PATCH = """diff --git a/src/run.py b/src/run.py
index 1..2 100644
--- a/src/run.py
+++ b/src/run.py
@@ -3,4 +3,5 @@ def run(x):
     \"\"\"Two
     lines.\"\"\"
-    return x
+    y = x + 1  # <b>
+    return y
\\ No newline at end of file
diff --git a/notes.txt b/notes.txt
--- a/notes.txt
+++ b/notes.txt
@@ -0,0 +1 @@
+<script>
"""


def test_markdown_keeps_what_helps_reading() -> None:
    told = markdown_html(
        "# Head\n\n* one `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[x](https://e.org)"
    )

    assert "<h3>Head</h3>" in told
    assert "<code>code</code>" in told
    assert "<td>1</td>" in told
    assert 'rel="nofollow noopener noreferrer"' in told


def test_markdown_loses_images_html_and_scripts() -> None:
    hostile = (
        "![pixel](https://evil.example/x.png) <img src=x onerror=alert(1)>\n\n"
        "[a](javascript:alert(1)) [b](data:text/html,x)\n\n<iframe src=//e></iframe>"
    )

    told = markdown_html(hostile)

    assert Page(told).dangers == []
    assert "<img" not in told


@given(st.text(alphabet="<>[](){}!`*_#|\\/&;:\"'= \nabscripthref01", max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_markdown_is_dangerous(text: str) -> None:
    assert Page(markdown_html(text)).dangers == []


def test_a_patch_is_split_numbered_and_coloured() -> None:
    view = patch_view(PATCH)

    assert [file.path for file in view.files] == ["src/run.py", "notes.txt"]
    lines = view.files[0].hunks[0].lines
    assert [(one.kind, one.old, one.new) for one in lines] == [
        ("same", 3, 3),
        ("same", 4, 4),
        ("del", 5, None),
        ("add", None, 5),
        ("add", None, 6),
        ("note", None, None),
    ]
    assert '<span class="k">return</span>' in lines[2].html
    assert "&lt;b&gt;" in lines[3].html
    assert view.files[1].hunks[0].lines[0].html == "&lt;script&gt;"


@given(st.text(alphabet="+-@ \n\\diffgt/ab<>\"'#123,", max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_a_patch(text: str) -> None:
    view = patch_view("diff --git a/x.py b/x.py\n@@ -1 +1 @@\n" + text)

    for file in view.files:
        for hunk in file.hunks:
            for line in hunk.lines:
                assert Page(line.html).dangers == []


def test_a_huge_patch_is_cut_and_says_so() -> None:
    view = patch_view("diff --git a/x.py b/x.py\n@@ -1 +1 @@\n" + "+x = 1\n" * 10_000)

    assert view.left_out > 6_000
    assert sum(len(hunk.lines) for file in view.files for hunk in file.hunks) < 3_001


def test_a_very_long_line_is_not_parsed() -> None:
    line = "x = '" + "\\\\" * 40_000

    view = patch_view(f"diff --git a/x.py b/x.py\n@@ -1 +1 @@\n+{line}\n")

    assert "<span" not in view.files[0].hunks[0].lines[0].html
