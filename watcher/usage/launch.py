"""A launch script to settings, programs started and environment variables.

Pure; no I/O. Understands Hydra overrides, ``--flag value``, ``--flag=value``, ``python -m MODULE``,
``torchrun``, the upstreams' console scripts, and what stands before a program (``FOO=1``, ``env``,
``srun``, ``ray job submit … --``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from watcher.facts.usage import Source
from watcher.usage.given import GivenSetting, Reading, parse_override
from watcher.usage.shell import Argument, Command, read_commands

_FLAG: Final = re.compile(r"--?([A-Za-z][\w.-]*)(?:=(.*))?", re.DOTALL)
_PROGRAM: Final = re.compile(r"(?:.*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|uv|pypy3?)")
_MODULE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_DIRECTIVE: Final = re.compile(r"^#SBATCH[ \t]+--?([A-Za-z][\w-]*)[= \t]([^\s#]+)", re.MULTILINE)
_SHELL_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*")
_NUMBER: Final = re.compile(r"-?\d[\d.eE+-]*")


def read_launch_script(text: str, path: str, console_scripts: Mapping[str, str]) -> Reading:
    """What a launch script says. ``console_scripts``: program or ``-m`` module -> dotted module."""
    parts = _Parts(path, console_scripts)
    parts.settings += _batch_directives(text, path)
    for command in read_commands(text):
        parts.add(command)
    return parts.reading()


def _batch_directives(text: str, path: str) -> Iterator[GivenSetting]:
    """``#SBATCH --nodes=2``: what a batch system is asked for."""
    for found in _DIRECTIVE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        name, value = found.group(1), found.group(2)
        if name == "gres" and value.startswith("gpu:"):
            name, value = "gpus-per-node", value.rpartition(":")[2]
        yield GivenSetting(name, value, Source(path, line))


class _Parts(Struct):
    """Collects the facts of one script."""

    path: str
    console_scripts: Mapping[str, str]
    settings: list[GivenSetting] = field(default_factory=list)
    entry_points: list[tuple[str, Source]] = field(default_factory=list)
    environment: list[tuple[str, str, Source]] = field(default_factory=list)
    not_understood: list[tuple[Source, str]] = field(default_factory=list)

    def reading(self) -> Reading:
        return Reading(
            settings=tuple(self.settings),
            entry_points=tuple(self.entry_points),
            environment=tuple(self.environment),
            not_understood=tuple(self.not_understood),
        )

    def add(self, command: Command) -> None:
        for name, value in command.environment:
            self.environment.append((name, value.text, self._source(value)))
        starts = list(self._programs(command.arguments))
        self.entry_points += [(module, self._source(argument)) for module, argument in starts]
        self._served_model(command.arguments)
        is_launch = bool(starts) or _starts_python(command.arguments)
        for argument, text in _pairs(command.arguments, take_flags=is_launch):
            self._setting(argument, text, is_launch=is_launch)

    def _source(self, argument: Argument) -> Source:
        return Source(self.path, argument.line)

    def _programs(self, arguments: tuple[Argument, ...]) -> Iterator[tuple[str, Argument]]:
        """Dotted modules that the command starts."""
        previous = ""
        for argument in arguments:
            text = argument.text
            if previous in {"-m", "--module"} and _MODULE.fullmatch(text):
                yield self.console_scripts.get(text, text), argument
            elif text.endswith(".py") and "/" in text and "=" not in text:
                yield text.removesuffix(".py").lstrip("./").replace("/", "."), argument
            elif previous == "" and text in self.console_scripts:
                yield self.console_scripts[text], argument
            previous = text

    def _served_model(self, arguments: tuple[Argument, ...]) -> None:
        """``PROGRAM serve MODEL``: the model is the one argument without a flag."""
        for program, verb, model in zip(arguments, arguments[1:], arguments[2:], strict=False):
            if program.text in self.console_scripts and verb.text == "serve":
                if not model.text.startswith("-"):
                    self.settings.append(GivenSetting("model", model.text, self._source(model)))
                return

    def _setting(self, argument: Argument, text: str, *, is_launch: bool) -> None:
        source = self._source(argument)
        given = parse_override(text, source)
        if given is None or not _is_meant(given, is_launch=is_launch):
            return
        if _SHELL_VARIABLE.fullmatch(given.key):
            self.environment.append((given.key, given.value, source))
            return
        if argument.unresolved:
            names = ", ".join(argument.unresolved)
            self.not_understood.append((source, f"{given.key}: no value known for {names}"))
        self.settings.append(given)


def _is_meant(given: GivenSetting, *, is_launch: bool) -> bool:
    """Outside of a recognised launch only dotted keys count as settings."""
    return is_launch or ("." in given.key and "/" not in given.key)


def _starts_python(arguments: tuple[Argument, ...]) -> bool:
    return any(_PROGRAM.fullmatch(argument.text) for argument in arguments)


def _pairs(arguments: tuple[Argument, ...], *, take_flags: bool) -> Iterator[tuple[Argument, str]]:
    """Each argument that may be a setting, as ``key=value`` text."""
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        flag = _FLAG.fullmatch(argument.text) if take_flags else None
        index += 1
        if flag is None:
            yield argument, argument.text
            continue
        name, value = flag.group(1), flag.group(2)
        if value is None and index < len(arguments) and _is_value(arguments[index].text):
            value = arguments[index].text
            index += 1
        if len(name) > 1:
            yield argument, f"{name}={'true' if value is None else value}"


def _is_value(text: str) -> bool:
    """True for a word that can be the value of the flag before it."""
    if text.startswith("-"):
        return bool(_NUMBER.fullmatch(text))
    return parse_override(text, Source("")) is None or "." not in text.partition("=")[0]
