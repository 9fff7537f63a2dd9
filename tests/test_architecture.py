"""The rules of the structure, as tests: layers, module sizes, docstrings, no hosts named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "watcher").rglob("*.py"))
LONGEST_MODULE = 320
LONGEST_FUNCTION = 60


def test_imports_go_down_the_layers() -> None:
    # In a process of its own: the linter sets up logging for the whole process.
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    checked = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stdout


def test_only_the_composition_root_imports_adapters_and_store() -> None:
    wanted = re.compile(r"^\s*(?:from|import) watcher\.(?:adapters|store)\b", re.MULTILINE)
    users = {
        path.relative_to(ROOT / "watcher").as_posix()
        for path in MODULES
        if wanted.search(path.read_text(encoding="utf-8"))
    }

    assert {name.partition("/")[0] for name in users} <= {"adapters", "store", "app"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_module_says_what_it_does_and_stays_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= LONGEST_MODULE


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_functions_stay_short(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    too_long = [
        function.name
        for function in functions
        if (function.end_lineno or 0) - function.lineno >= LONGEST_FUNCTION
    ]

    assert too_long == []


def test_no_registry_host_is_named() -> None:
    hosts = re.compile("|".join(("pypi" + r"\.org", "python" + "hosted", "registry" + r"\.npmjs")))
    files = [ROOT / name for name in ("pyproject.toml", "constraints.txt", "Makefile", "README.md")]
    texts = [path.read_text(encoding="utf-8") for path in (*files, *MODULES)]

    assert [text for text in texts if hosts.search(text)] == []
