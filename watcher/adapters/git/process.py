"""Runs git: argument lists in, bytes out. The only module of the project that starts processes.

Every run has a clean environment (no prompt, no hooks, no user or system configuration, no
protocol that executes commands), a time limit, and its failure becomes one ``MirrorError``.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from watcher.adapters.git.failures import explain
from watcher.errors import MirrorError

PASSED_ON: Final = frozenset(
    {
        *("PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "SYSTEMROOT"),
        *("SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"),
        *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    }
)
"""Variables of the caller that git sees: the way to programs, keys, proxies and certificates."""

BUNDLES: Final = ("GIT_SSL_CAINFO", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE")
"""Variables that name a certificate bundle; git itself knows only the first."""

EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

CONFIGURATION: Final = {
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "core.fsmonitor": "false",
    "core.askPass": "",
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.fsckObjects": "false",
    "fetch.unpackLimit": "1",
    "fetch.writeCommitGraph": "false",
    "attr.tree": EMPTY_TREE,
    "http.lowSpeedLimit": "500",
    "http.lowSpeedTime": "120",
}
"""Settings of every run; they come in by environment, so they count as the command line's."""

CHUNK: Final = 1 << 18
READ_SECONDS: Final = 60.0
STREAM_SECONDS: Final = 600.0
"""How long a streaming read may say nothing."""
STALL_SECONDS: Final = 180.0
"""How long a fetch may make no progress."""
ASK_SECONDS: Final = 10.0
KEPT_ERROR_BYTES: Final = 16_384


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What git sees of the caller's environment, and what forbids it to ask, hook or execute."""
    kept = {name: value for name, value in environment.items() if name in PASSED_ON}
    bundle = next((environment[name] for name in BUNDLES if environment.get(name)), None)
    if bundle is not None:
        kept["GIT_SSL_CAINFO"] = bundle
    kept.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30")
    return kept | {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "https:http:ssh:file",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }


def with_configuration(settings: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that set git configuration without a file and without argv."""
    pairs = list((dict(CONFIGURATION) | dict(settings)).items())
    variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for index, (key, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{index}"] = key
        variables[f"GIT_CONFIG_VALUE_{index}"] = value
    return variables


class Outcome(Struct, frozen=True):
    """How a run ended."""

    status: int
    output: bytes
    error: str

    @property
    def is_good(self) -> bool:
        """True for exit status 0."""
        return self.status == 0


class Git(Struct, frozen=True, kw_only=True):
    """Runs git on one bare repository."""

    directory: Path
    program: str = "git"
    environment: Mapping[str, str]
    """The caller's environment; ``clean_environment`` decides what of it counts."""
    settings: Mapping[str, str] | None = None
    """Configuration on top of ``CONFIGURATION``; the place for a token."""
    variables: Mapping[str, str] | None = None
    """More environment, such as a scratch object directory."""

    def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        seconds: float = READ_SECONDS,
    ) -> Outcome:
        """Run to the end, whatever the exit status.

        Raises MirrorError when git is missing or too slow.
        """
        command = [f"--git-dir={self.directory}", *arguments]
        with ended(self._start(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)) as process:
            try:
                output, error = process.communicate(stdin, timeout=seconds)
            except subprocess.TimeoutExpired:
                raise self._too_slow(arguments, seconds) from None
        return Outcome(process.returncode, output, readable(error))

    def read(self, arguments: Sequence[str], *, stdin: bytes = b"") -> bytes:
        """Standard output of a local command. Raises MirrorError when it fails."""
        outcome = self.run(arguments, stdin=stdin)
        if not outcome.is_good:
            raise explain(outcome.error, where=str(self.directory))
        return outcome.output

    def stream(self, arguments: Sequence[str], *, stdin: bytes = b"") -> Iterator[bytes]:
        """Standard output in chunks as it comes; the exit status is checked at the end.

        Input and errors pass through temporary files, so neither can block the other. Raises
        MirrorError; stops the process when the caller stops reading.
        """
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
            source.write(stdin)
            source.seek(0)
            command = [f"--git-dir={self.directory}", *arguments]
            with ended(self._start(command, stdin=source, stderr=errors)) as process:
                yield from self._chunks(process, arguments)
                status = process.wait(READ_SECONDS)
            if status != 0:
                errors.seek(0)
                raise explain(readable(errors.read(KEPT_ERROR_BYTES)), where=str(self.directory))

    def talk(
        self,
        arguments: Sequence[str],
        on_line: Callable[[str], bool],
        *,
        stdin: bytes = b"",
    ) -> Outcome:
        """Run a long network command; each line of its standard error goes to ``on_line``.

        A false answer stops the command (status -1). Raises MirrorError when nothing is heard for
        ``STALL_SECONDS``.
        """
        command = [f"--git-dir={self.directory}", *arguments]
        kept: list[str] = []
        with tempfile.TemporaryFile() as source:
            source.write(stdin)
            source.seek(0)
            process = self._start(
                command, stdin=source, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
            with ended(process):
                for line in self._error_lines(process, arguments):
                    kept = [*kept[-100:], line]
                    if not on_line(line):
                        return Outcome(-1, b"", "\n".join(kept))
                status = process.wait(READ_SECONDS)
        return Outcome(status, b"", "\n".join(kept))

    def _start(
        self,
        arguments: Sequence[str],
        *,
        stdin: int | IO[bytes],
        stderr: int | IO[bytes],
        stdout: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        environment = clean_environment(self.environment) | with_configuration(self.settings or {})
        try:
            return subprocess.Popen(
                [self.program, *arguments],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=environment | dict(self.variables or {}),
                start_new_session=True,
            )
        except FileNotFoundError:
            raise MirrorError(
                "git is not installed", where=self.program, mend="install git 2.39 or newer"
            ) from None
        except OSError as error:
            raise MirrorError(
                f"git cannot be started: {error.strerror}", where=self.program
            ) from error

    def _chunks(
        self, process: subprocess.Popen[bytes], arguments: Sequence[str]
    ) -> Iterator[bytes]:
        if process.stdout is None:
            return
        handle = process.stdout.fileno()
        while True:
            if not has_more(handle, STREAM_SECONDS):
                raise self._too_slow(arguments, STREAM_SECONDS)
            chunk = os.read(handle, CHUNK)
            if not chunk:
                return
            yield chunk

    def _error_lines(
        self, process: subprocess.Popen[bytes], arguments: Sequence[str]
    ) -> Iterator[str]:
        if process.stderr is None:
            return
        handle = process.stderr.fileno()
        rest = b""
        while True:
            if not has_more(handle, STALL_SECONDS):
                raise self._too_slow(arguments, STALL_SECONDS)
            chunk = os.read(handle, CHUNK)
            if not chunk:
                break
            *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
            rest = rest[:KEPT_ERROR_BYTES]
            yield from (readable(line) for line in lines if line.strip())
        if rest.strip():
            yield readable(rest)

    def _too_slow(self, arguments: Sequence[str], seconds: float) -> MirrorError:
        return MirrorError(
            f"git {arguments[0]} said nothing for {seconds:.0f} s and was stopped",
            where=str(self.directory),
            mend="check the network and the disk, then run it again",
        )


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process; its whole group is stopped when the block is left before it has ended."""
    try:
        yield process
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def has_more(handle: int, seconds: float) -> bool:
    """True as soon as a pipe can be read (its end counts), False after the time."""
    poll = select.poll()
    poll.register(handle, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(seconds * 1000))


def readable(error: bytes) -> str:
    """What git wrote on standard error as text."""
    return error[-KEPT_ERROR_BYTES:].decode("utf-8", "replace").strip()


def ask(program: str, arguments: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """What a small local program prints, or None when it is missing, slow or fails."""
    kept = {
        name: environment[name]
        for name in ("PATH", "HOME", "XDG_CONFIG_HOME")
        if name in environment
    }
    try:
        ended = subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=kept | {"LC_ALL": "C"},
            timeout=ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout.decode("utf-8", "replace") if ended.returncode == 0 else None
