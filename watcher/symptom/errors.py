"""Which log lines tell what went wrong, and which only report that another process died.

Pure. Exceptions of Python, C++, CUDA, NCCL, HCCL and the shell.
"""

from __future__ import annotations

import re

_EXCEPTION = re.compile(
    r"\s{0,40}(?:[|+\- ]{0,20})(?:ray::[\w.]{1,80}\(\)[^)]{0,200}\)\s?)?"
    r"(?:(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}?"
    r"(?:Error|Exception|Interrupt|Exit|Warning|NotFound|Failure|Timeout|Dead|Died|Abort\w{0,20}|Fault|"
    r"Unsupported|Empty|Full)"
    r"|KeyError|AssertionError|StopIteration|StopAsyncIteration)"
    r"(?:\([\w.]{0,80}\))?\s*(?::\s|:?$)"
)
_NATIVE = re.compile(
    r"terminate called|^\s*what\(\):|Segmentation fault|Fatal Python error|\bcore dumped\b"
    r"|CUDA error|CUDA out of memory|CUDA driver error|HIP error|NCCL error|NCCL WARN"
    r"|ncclSystemError"
    r"|Watchdog caught|WorkNCCL|ERR\d{5}|\bE[A-Z]\d{4}\b:|HCCL\w* (?:error|fail)|hcclComm\w* fail"
    r"|Assertion [`'].{0,300}failed|device-side assert|undefined symbol|illegal memory access"
    r"|^\s*(?:\S{1,200}: )?(?:fatal )?error: |\bSIG(?:SEGV|ABRT|KILL|BUS|FPE)\b|Bus error"
    r"|Killed process|oom-kill|Out of memory: Kill",
)
_FOLLOWER = re.compile(
    r"RayTaskError|RayActorError|ActorDiedError|ActorUnavailableError|WorkerCrashedError|NodeDiedError"
    r"|ChildFailedError|EngineDeadError|ProcessRaisedException|CalledProcessError|ProcessExitedException"
    r"|[Ee]ngine (?:process|core)[\w ]{0,40}(?:fail|initiali)|EngineCore (?:encountered|failed)"
    r"|WorkerProc|[Ee]xecutor failed|died unexpectedly|failed to start"
    r"|See (?:root cause|stack trace)"
    r"|SystemExit|KeyboardInterrupt|BrokenPipe|ConnectionResetError|CancelledError|RequestError"
    r"|Sending process|closing signal|[Rr]ay(?:let)? .{0,60}(?:died|exited)|exitcode ?:|exit code"
    r"|The above exception|Fatal Python error: Aborted|resource_tracker|ProcessGroup.{0,40}abort"
    r"|remote process exited|Connection closed by peer|Broken pipe|StopAsyncIteration"
)
_NOT_A_MESSAGE = re.compile(
    r"[\[(+$*>#]|\s*\.\.\.|[\d.]{1,8}%\||step[: ]|Progress|\w{1,80}==|exit|ray::|\d{1,20}$"
    r"|Thread |Traceback"
    r"|During handling|The above exception|INFO|-{3,}|={3,}|[╭╰│]|Set the environment variable"
)
_NOISE = re.compile(
    r"\d%\||\b(?:it|s|toks|tokens)/(?:s|it)\b|^[\s\W\d]*$|^(?:During handling|The above exception)"
    r"|^[╭╰│]|^Set the environment variable HYDRA|repeated \d{1,6}x"
)


def is_exception(text: str) -> bool:
    """True for a line that opens with an exception's class, dotted or bare."""
    return bool(_EXCEPTION.match(text))


def is_native_error(text: str) -> bool:
    """True for an error of compiled code, the device, the network library or the shell."""
    return bool(_NATIVE.search(text))


def is_follower(text: str) -> bool:
    """True for an error that only reports that another process died."""
    return bool(_FOLLOWER.search(text))


def may_be_message(text: str) -> bool:
    """True when a line right after a stack frame can be an exception's message of any form."""
    return bool(text) and not text[0].isspace() and not _NOT_A_MESSAGE.match(text)


def is_noise(text: str) -> bool:
    """True for progress bars, rulers and other lines that say nothing about a fault."""
    return bool(_NOISE.search(text))
