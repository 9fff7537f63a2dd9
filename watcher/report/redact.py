"""Text of logs and scripts -> the same text without secrets, hosts, addresses and user names.

Pure. One value gets one placeholder (``<ip-1>``) so that a log of several machines stays readable.
Every pattern is bounded: time grows with the text alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct, field

from watcher.report.escape import plain

_KEY_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----")

_TOKENS: Final = (
    r"gh[pousr]_[A-Za-z0-9]{16,255}",
    r"github_pat_[A-Za-z0-9_]{16,255}",
    r"glpat-[\w-]{16,255}",
    r"hf_[A-Za-z0-9]{16,255}",
    r"api_org_[A-Za-z0-9]{16,255}",
    r"(?<![A-Za-z])sk-(?=[A-Za-z_-]{0,40}\d)[\w-]{16,255}",
    r"(?<![A-Za-z])[rps]k_(?:live|test)_\w{16,255}",
    r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,124}",
    r"(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{12,40}",
    r"(?<![A-Za-z0-9])AKID[A-Za-z0-9]{13,60}",
    r"xox[a-z]-[\w-]{8,255}",
    r"xapp-[\w-]{8,255}",
    r"AIza[\w-]{30,80}",
    r"ya29\.[\w.-]{16,512}",
    r"npm_[A-Za-z0-9]{20,80}",
    r"pypi-[\w-]{16,400}",
    r"dckr_pat_[\w-]{16,80}",
    r"nvapi-[\w-]{16,120}",
    r"gsk_[A-Za-z0-9]{16,120}",
    r"wandb_v\d_[\w-]{16,255}",
    r"eyJ[\w-]{8,2000}\.[\w-]{4,4000}(?:\.[\w-]{0,2000})?",
)
_TOKEN: Final = re.compile("|".join(_TOKENS))
_WEBHOOK: Final = re.compile(
    r"https?://(?:hooks\.slack\.com|open\.(?:feishu|larksuite)\.\w{2,4}|oapi\.dingtalk\.com"
    r"|qyapi\.weixin\.qq\.com|discord(?:app)?\.com/api/webhooks|[\w.-]{1,100}\.webhook\.office\.com)"
    r"[^\s\"'<>]{1,500}"
)
_HEADER: Final = re.compile(
    r"(?i)\b(bearer|basic|token|digest|apikey)([ \t]{1,4})(?=[^\s\"',;<>]{0,400}[0-9=_])"
    r"([\w.~+/=:-]{12,4000})"
)
_CREDENTIALS: Final = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]{1,20}://)([^\s/@\"'<>]{1,300})@")
_NAME: Final = (
    r"(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|secret|passw(?:or)?d|passphrase|passwd|pwd"
    r"|credentials?|(?:auth|access|refresh|hub|hf|github|gh|gitlab|slack|wandb|bot|session|id)"
    r"[_-]?token|webhook|signature|private[_-]?key)(?:[_-](?:key|id|url|value))?"
)
_VALUE: Final = r"(\"[^\"\n]{1,4000}\"|'[^'\n]{1,4000}'|[^\s\"'&;,<>]{3,4000})"
_SIGN: Final = r"[\"'\])]{0,3}[ \t]{0,4}[=:][ \t]{0,4}"
_ASSIGNED: Final = (
    re.compile(rf"(?i)({_NAME}{_SIGN}){_VALUE}"),
    re.compile(rf"(?i)(--[\w-]{{0,40}}(?:{_NAME}|token)[ \t]{{1,4}}(?!-)){_VALUE}"),
    re.compile(rf"(?i)((?<![\w.])token{_SIGN}){_VALUE}"),
)
_WANDB: Final = re.compile(r"(?i)wandb|api[ _-]?key|login|netrc")
_HEX_40: Final = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{40}(?![0-9a-fA-F])")
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?=[\w-]{1,63}\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
)
_HOME: Final = re.compile(
    r"((?:/home|/Users|/users|/data/home|/mnt/home|/nfs/home|/export/home|[A-Za-z]:\\{1,2}Users)"
    r"[/\\]{1,2})([^/\\\s:;,\"'<>()\[\]]{1,64})"
)
_IPV4: Final = re.compile(
    r"(?<![\w.])(?<!==)(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?![\w.]*\.\d|\w)"
)
_MAC: Final = re.compile(r"(?<![\w:])[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?![\w:])")
_IPV6: Final = re.compile(
    r"(?<![\w:.])(?:(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}"
    r"|(?:[0-9a-fA-F]{1,4}:){1,6}(?::[0-9a-fA-F]{1,4}){1,6}"
    r"|(?:[0-9a-fA-F]{1,4}:){1,7}:)(?![\w:])"
)
_OPEN_ADDRESSES: Final = frozenset({"127.0.0.1", "0.0.0.0", "255.255.255.255", "8.8.8.8"})  # noqa: S104  shown, never bound
_URL_HOST: Final = re.compile(
    r"(?i)(\b(?:https?|grpc|tcp|ssh|git|ray|redis|wss?|s3|hdfs)://(?:<credentials>@)?)([\w.-]{1,253})"
)
_INNER_HOST: Final = re.compile(
    r"(?i)(?<![\w.@/-])(?=[\w-]{1,63}\.)[a-z0-9][\w-]{0,62}(?:\.[a-z0-9][\w-]{0,62}){0,6}"
    r"\.(?:local|localdomain|internal|intranet|intra|corp|lan|svc|cluster|com|net|org|cn|edu|gov)\b(?![\w(-])"
)
_NCCL_HOST: Final = re.compile(
    r"(?m)^((?:\([^)\n]{0,100}\) ?)?)([\w.-]{2,80})(:\d{1,8}:\d{1,8} \[)"
)
_PROMPT: Final = re.compile(
    r"(?m)^((?:\([\w.-]{1,40}\) ?)?)([a-z_][\w-]{0,31})@([\w.-]{1,80})(?=:[~/]|[ \]])"
)
_NAMED_HOST: Final = re.compile(
    r"(?i)(\b(?:host(?:name)?|node(?:name|list)?|server|master_addr|address)[\"']?"
    r"[ \t]{0,2}[=:][ \t]{0,2}[\"']?)(?=[\w.-]{0,100}\d)([a-z][\w.-]{2,100})"
)
_PUBLIC: Final = frozenset(
    {
        "anaconda.com", "anaconda.org", "aliyun.com", "conda.io", "debian.org", "docker.com",
        "docker.io", "example.com", "example.org", "ghcr.io", "github.com", "githubusercontent.com",
        "gnu.org", "hf-mirror.com", "hf.co", "huggingface.co", "hydra.cc", "kernel.org",
        "localhost", "modelscope.cn", "nvidia.com", "openai.com", "python.org",
        "pytorch.org", "quay.io", "ray.io", "readthedocs.io",
        "tsinghua.edu.cn", "ubuntu.com", "vllm.ai", "wandb.ai",
    }
)  # fmt: skip
_SHORTEST_NAME: Final = 3
_SHORTEST_SECRET: Final = 6
_NO_SECRETS: Final = frozenset({"", "none", "null", "true", "false", "str", "<secret>", "<token>"})
_COMMON_NAMES: Final = frozenset(
    {"root", "user", "admin", "ubuntu", "ray", "docker", "localhost", "train", "python", "data"}
)


class Private(Struct, frozen=True, kw_only=True):
    """What is known to be private on this machine."""

    secrets: tuple[str, ...] = ()
    """Values that must not appear, whatever their form."""
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    """Home directories; they become ``~``."""


NOTHING_PRIVATE: Final = Private()


class Redactor(Struct):
    """Redacts several texts with the same placeholders."""

    private: Private = NOTHING_PRIVATE
    counts: Counter[str] = field(default_factory=Counter)
    """How much was removed, by kind."""
    _names: dict[tuple[str, str], str] = field(default_factory=dict)

    def redact(self, text: str) -> str:
        """A text without what is private. Terminal escapes go first: they could hide a token."""
        text = self._literal(plain(text))
        text = self._private_keys(text)
        for pattern, kind in ((_WEBHOOK, "webhook"), (_TOKEN, "token")):
            text = pattern.sub(self._whole(kind), text)
        text = _CREDENTIALS.sub(self._credentials, text)
        for pattern in _ASSIGNED:
            text = pattern.sub(self._assigned, text)
        text = _HEADER.sub(self._header, text)
        text = "\n".join(self._wandb(line) for line in text.split("\n"))
        text = _EMAIL.sub(self._numbered("email"), text)
        return self._places(text)

    def _places(self, text: str) -> str:
        """Without addresses, hosts, homes and user names."""
        for home in self.private.homes:
            if len(home.strip("/")) >= _SHORTEST_NAME and home != "/root":
                text = self._replace(text, home.rstrip("/"), "~", "home")
        text = _HOME.sub(self._home, text)
        for pattern, kind in ((_MAC, "mac"), (_IPV6, "ip"), (_IPV4, "ip")):
            text = pattern.sub(self._numbered(kind), text)
        text = _NCCL_HOST.sub(self._middle("host"), text)
        text = _PROMPT.sub(self._prompt, text)
        text = _URL_HOST.sub(self._url_host, text)
        text = _NAMED_HOST.sub(self._assigned_host, text)
        text = _INNER_HOST.sub(self._numbered("host"), text)
        for kind, names in (("host", self.private.hosts), ("user", self.private.users)):
            for name in names:
                text = self._name(text, name, kind)
        return text

    def _literal(self, text: str) -> str:
        for secret in sorted(self.private.secrets, key=len, reverse=True):
            if len(secret) >= _SHORTEST_SECRET:
                text = self._replace(text, secret, "<secret>", "secret")
        return text

    def _private_keys(self, text: str) -> str:
        """Without PEM blocks; one that never ends goes to the end of the text."""
        parts, at = [], 0
        while match := _KEY_BEGIN.search(text, at):
            end = _KEY_END.search(text, match.end())
            parts += [text[at : match.start()], "<private key>"]
            self.counts["private key"] += 1
            at = end.end() if end else len(text)
        return "".join((*parts, text[at:]))

    def _replace(self, text: str, old: str, new: str, kind: str) -> str:
        found = text.count(old)
        if found:
            self.counts[kind] += found
        return text.replace(old, new)

    def _name(self, text: str, name: str, kind: str) -> str:
        if len(name) < _SHORTEST_NAME or name.lower() in _COMMON_NAMES:
            return text
        pattern = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])")
        return pattern.sub(self._numbered(kind), text)

    def _placeholder(self, kind: str, value: str) -> str:
        self.counts[kind] += 1
        key = (kind, value.lower())
        if key not in self._names:
            number = sum(known == kind for known, _ in self._names) + 1
            self._names[key] = f"<{kind}-{number}>"
        return self._names[key]

    def _whole(self, kind: str) -> Callable[[re.Match[str]], str]:
        def replaced(_: re.Match[str]) -> str:
            self.counts[kind] += 1
            return f"<{kind}>"

        return replaced

    def _numbered(self, kind: str) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            value = match[0]
            if value in _OPEN_ADDRESSES or is_public(value) or value.startswith("git@"):
                return value
            return self._placeholder(kind, value)

        return replaced

    def _middle(self, kind: str) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            return f"{match[1]}{self._placeholder(kind, match[2])}{match[3]}"

        return replaced

    def _credentials(self, match: re.Match[str]) -> str:
        if match[2] == "git":
            return match[0]
        self.counts["credentials"] += 1
        return f"{match[1]}<credentials>@"

    def _assigned(self, match: re.Match[str]) -> str:
        if match[2].strip("\"'").lower() in _NO_SECRETS:
            return match[0]
        self.counts["secret"] += 1
        return f"{match[1]}<secret>"

    def _header(self, match: re.Match[str]) -> str:
        self.counts["token"] += 1
        return f"{match[1]}{match[2]}<token>"

    def _wandb(self, line: str) -> str:
        return _HEX_40.sub(self._whole("token"), line) if _WANDB.search(line) else line

    def _home(self, match: re.Match[str]) -> str:
        self.counts["user"] += 1
        return f"{match[1]}<user>"

    def _url_host(self, match: re.Match[str]) -> str:
        host = match[2]
        if is_public(host) or host in _OPEN_ADDRESSES:
            return match[0]
        return f"{match[1]}{self._placeholder('host', host)}"

    def _assigned_host(self, match: re.Match[str]) -> str:
        if is_public(match[2]):
            return match[0]
        return f"{match[1]}{self._placeholder('host', match[2])}"

    def _prompt(self, match: re.Match[str]) -> str:
        user = match[2] if match[2] in _COMMON_NAMES else self._placeholder("user", match[2])
        return f"{match[1]}{user}@{self._placeholder('host', match[3])}"


def is_public(host: str) -> bool:
    """True for the public sites that everyone's logs name."""
    name = host.lower().rstrip(".")
    return any(name == public or name.endswith("." + public) for public in _PUBLIC)


def redact(text: str, private: Private = NOTHING_PRIVATE) -> str:
    """One text without what is private."""
    return Redactor(private).redact(text)


def secret_values(environment: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Values of variables whose names say that they are secret."""
    names = ("token", "secret", "password", "passwd", "api_key", "apikey", "webhook", "credential")
    return tuple(
        value.strip()
        for name, value in environment
        if any(part in name.lower() for part in names) and len(value.strip()) >= _SHORTEST_SECRET
    )
