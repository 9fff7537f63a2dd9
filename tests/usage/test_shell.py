"""Launch scripts become commands with their variables filled in."""

import time

import pytest

from watcher.usage.shell import read_commands


def words(script: str) -> list[list[str]]:
    return [[argument.text for argument in command.arguments] for command in read_commands(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("run a=1 \\\n  b=2", ["run", "a=1", "b=2"]),
        ("run a=1\\\n  b=2", ["run", "a=1", "b=2"]),
        ("N=3\nrun n=$N m=${N}x", ["run", "n=3", "m=3x"]),
        ("run n=${N:-8} m=${M:-${N:-9}}", ["run", "n=8", "m=9"]),
        ("run n=$((1024 * 8)) m=$((2 + 3*4))", ["run", "n=8192", "m=14"]),
        ("K=4\nrun n=$((K * 1024))", ["run", "n=4096"]),
        ("A=(x=1 'y=a b' # why\n z=3)\nA+=(w=4)\nrun \"${A[@]}\"",
         ["run", "x=1", "y=a b", "z=3", "w=4"]),
        ("E=\"\n x=1 \\\n y=2\"\nrun $E", ["run", "x=1", "y=2"]),
        ("run 'a=$N' \"b=\\\"q\\\"\"", ["run", "a=$N", 'b="q"']),
        ("run a=1 # b=2", ["run", "a=1"]),
        ("run a=#1", ["run", "a=#1"]),
        ("run a=1 2>&1 > out.log", ["run", "a=1"]),
        ("if true; then run a=1; fi", None),
    ],
)  # fmt: skip
def test_words_of_a_command_are_expanded(script, expected):
    commands = words(script)

    assert (expected or ["run", "a=1"]) in commands


def test_a_here_document_is_no_command():
    assert words("cat <<EOF > x\nrun a=1\nEOF\nrun b=2") == [["cat"], ["run", "b=2"]]


def test_an_unknown_variable_is_named_and_stays_as_written():
    (command,) = read_commands("run n=$WORLD")

    assert command.arguments[1].text == "n=$WORLD"
    assert command.arguments[1].unresolved == ("WORLD",)


def test_a_variable_of_every_machine_is_no_riddle():
    (command,) = read_commands("run path=$HOME/data")

    assert command.arguments[1].unresolved == ()


def test_lines_are_counted_through_continuations_and_arrays():
    script = 'A=(\n  x=1\n  y=2\n)\nrun "${A[@]}" \\\n z=3'
    (command,) = [one for one in read_commands(script) if one.arguments]

    assert [argument.line for argument in command.arguments] == [5, 2, 3, 6]


def test_variables_before_a_program_and_exported_ones_are_its_environment():
    first, second = read_commands("export A=1 B=2\nC=3 run x=1")

    assert [(name, value.text) for name, value in first.environment] == [("A", "1"), ("B", "2")]
    assert [name for name, _ in second.environment] == ["C"]


@pytest.mark.parametrize(
    "script",
    [
        "A=x\n" + 'A="$A$A"\n' * 200 + "run $A",
        "A=(x x)\n" + 'A+=("${A[@]}" "${A[@]}")\n' * 200 + 'run "${A[@]}"',
        "run " + "${" * 20_000,
        'run "' + "'`" * 20_000,
        "run " + "${A:-" * 5_000,
    ],
)
def test_a_hostile_script_costs_little(script):
    started = time.process_time()

    list(read_commands(script))

    assert time.process_time() - started < 2.0
