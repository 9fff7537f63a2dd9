"""A launch script to the commands it would run, variables filled in as far as they are known.

Pure; no I/O: assignments are followed from top to bottom (the last branch of an ``if`` wins), loops
are read once, substitutions by programs stay unresolved and are told. Sizes are capped, so that a
script that doubles a variable again and again cannot fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from watcher.usage.arithmetic import evaluate
from watcher.usage.shell_words import Operator, Piece, Quote, Token, Word, split_words

MAX_TEXT: Final = 20_000
"""Characters that one expanded value may hold."""
MAX_WORDS: Final = 5_000
"""Words that one array or command may hold."""
MAX_EXPANDED: Final = 20_000_000
"""Characters that the variables of one script may put in, all together."""

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(\+?=)")
_VARIABLE: Final = re.compile(
    r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?:\[[@*]\])?"
    r"(?P<rest>:?[-=](?P<fallback>[^{}]*(?:\{[^{}]*\}[^{}]*)*))?\})"
)
_ARITHMETIC: Final = re.compile(r"\$\(\(([^()]*(?:\([^()]*\)[^()]*)*)\)\)")
_BARE_NAME: Final = re.compile(r"\b(?<![$\w{])[A-Za-z_]\w*")
_PLACES: Final = frozenset({"HOME", "PWD", "USER", "PATH", "TMPDIR"})
"""Variables of every machine: they stand in paths and change no setting."""
_ARRAY: Final = re.compile(r"\$\{([A-Za-z_]\w*)\[[@*]\]\}")
_PREFIX_WORDS: Final = frozenset(
    {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "exec", "nohup"}
)
_DECLARING: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})


class Argument(Struct, frozen=True):
    """One expanded word of a command."""

    text: str
    line: int
    unresolved: tuple[str, ...] = ()
    """Names of variables and programs whose value the script does not tell."""


class Command(Struct, frozen=True):
    """One simple command."""

    arguments: tuple[Argument, ...]
    environment: tuple[tuple[str, Argument], ...] = ()
    """Variables set for this command only, or exported by it."""


class _Scope(Struct):
    """What the script has set so far."""

    values: dict[str, Argument] = field(default_factory=dict)
    arrays: dict[str, list[Argument]] = field(default_factory=dict)
    budget: int = MAX_EXPANDED

    def take(self, text: str) -> str:
        """The text, or nothing once the budget is spent."""
        self.budget -= len(text)
        return text if self.budget > 0 else ""


def read_commands(text: str) -> Iterator[Command]:
    """Commands of a shell script in order."""
    scope = _Scope()
    for tokens in _simple_commands(split_words(text)):
        command = _evaluate(tokens, scope)
        if command.arguments or command.environment:
            yield command


def _simple_commands(tokens: Iterator[Token]) -> Iterator[list[Word | list[Word]]]:
    """Words between operators; the words of ``NAME=( … )`` follow their name as a list."""
    command: list[Word | list[Word]] = []
    for token in tokens:
        if isinstance(token, Word):
            command.append(token)
        elif _opens_array(token, command):
            command.append(_array(tokens))
        elif "<" in token.text or ">" in token.text:
            if token.text != "<<" and "&" not in token.text[1:]:
                next(tokens, None)
        else:
            if command:
                yield command
            command = []
    if command:
        yield command


def _opens_array(token: Operator, command: list[Word | list[Word]]) -> bool:
    if token.text != "(" or not token.is_glued or not command:
        return False
    last = command[-1]
    return isinstance(last, Word) and bool(_ASSIGNMENT.fullmatch(last.plain))


def _array(tokens: Iterator[Token]) -> list[Word]:
    words: list[Word] = []
    for token in tokens:
        if isinstance(token, Word):
            words.append(token)
        elif token.text == ")":
            break
    return words


def _evaluate(tokens: list[Word | list[Word]], scope: _Scope) -> Command:
    """Assign what the command assigns, expand the rest."""
    arguments: list[Argument] = []
    environment: list[tuple[str, Argument]] = []
    declares = False
    for index, token in enumerate(tokens):
        if isinstance(token, list) or len(arguments) >= MAX_WORDS:
            continue
        is_first = not arguments
        if is_first and token.plain in _DECLARING:
            declares = True
        elif is_first and token.plain in _PREFIX_WORDS:
            continue
        elif (is_first or declares) and (found := _assignment_of(token)):
            following = tokens[index + 1] if index + 1 < len(tokens) else None
            words = following if isinstance(following, list) else None
            environment += _assign(found, token, words, scope)
        elif declares and token.plain in scope.values:
            environment.append((token.plain, scope.values[token.plain]))
        elif not declares:
            arguments += _expand(token, scope)
    if arguments or declares:
        return Command(tuple(arguments[:MAX_WORDS]), tuple(environment))
    return Command(())


def _assignment_of(word: Word) -> re.Match[str] | None:
    if not word.pieces or word.pieces[0].quote is not Quote.BARE:
        return None
    return _ASSIGNMENT.match(word.pieces[0].text)


def _assign(
    found: re.Match[str], word: Word, words: list[Word] | None, scope: _Scope
) -> list[tuple[str, Argument]]:
    name, operator = found.group(1), found.group(2)
    if words is not None:
        items = [argument for item in words for argument in _expand(item, scope)]
        earlier = scope.arrays.get(name, []) if operator == "+=" else []
        scope.arrays[name] = (earlier + items)[:MAX_WORDS]
        return []
    first = word.pieces[0]
    rest = (Piece(first.text[found.end() :], first.quote), *word.pieces[1:])
    value = _join(rest, word.line, scope)
    if operator == "+=" and name in scope.values:
        value = replace(value, text=(scope.values[name].text + value.text)[:MAX_TEXT])
    scope.values[name] = value
    return [(name, value)]


def _expand(word: Word, scope: _Scope) -> list[Argument]:
    """The arguments that a word becomes: none, one, or the items of an array."""
    array = _ARRAY.fullmatch(word.plain)
    if array and array.group(1) in scope.arrays:
        return scope.arrays[array.group(1)]
    if word.plain in {"$@", "$*"}:
        return []
    value = _join(word.pieces, word.line, scope)
    is_bare_variable = len(word.pieces) == 1 and word.pieces[0].quote is Quote.BARE
    if is_bare_variable and "$" in word.plain and not value.unresolved:
        return [replace(value, text=part) for part in value.text.split()[:MAX_WORDS]]
    return [value]


def _join(pieces: tuple[Piece, ...], line: int, scope: _Scope) -> Argument:
    unresolved: list[str] = []
    text = "".join(
        piece.text if piece.quote is Quote.SINGLE else _fill(piece.text, scope, unresolved)
        for piece in pieces
    )
    return Argument(text[:MAX_TEXT], line, tuple(dict.fromkeys(unresolved)))


def _fill(text: str, scope: _Scope, unresolved: list[str]) -> str:
    """Put in the values of variables; what has none is noted and stays as written."""

    def value(found: re.Match[str]) -> str:
        name = found.group("name") or found.group("braced")
        if name in scope.values:
            known = scope.values[name]
            unresolved.extend(known.unresolved)
            return scope.take(known.text)
        if name in scope.arrays:
            return scope.take(" ".join(item.text for item in scope.arrays[name])[:MAX_TEXT])
        if found.group("rest") is not None:
            return _fill(found.group("fallback"), scope, unresolved)
        if name not in _PLACES:
            unresolved.append(name)
        return found.group()

    def number(found: re.Match[str]) -> str:
        expression = _BARE_NAME.sub(lambda name: f"${name.group()}", found.group(1))
        result = evaluate(_VARIABLE.sub(value, expression))
        return found.group() if result is None else str(result)

    counted = _ARITHMETIC.sub(number, text[:MAX_TEXT]) if "$((" in text else text[:MAX_TEXT]
    if "`" in counted or "$(" in counted:
        unresolved.append(counted[:40])
        return counted
    filled = _VARIABLE.sub(value, counted)
    return filled[:MAX_TEXT].replace("\\\n", " ").replace('\\"', '"')
