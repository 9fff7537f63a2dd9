"""watcher.toml and the environment become Settings, or one clear line."""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import awkward, robust
from watcher.errors import ConfigError
from watcher.facts.item import Tier
from watcher.settings import (
    AllQuiet,
    ChannelKind,
    IgnoreEnd,
    Settings,
    SourceKind,
    parse_settings,
)

ORIGIN = Path("/team/training/watcher.toml")
PIN = '[[pins]]\nname = "verl"\nupstream = "verl-project/verl"\nref = "v0.8.0"\n'


def parse(text: str, origin: Path = ORIGIN, **environment: str) -> Settings:
    return parse_settings(text, origin=origin, environment=environment)


def refusal(text: str, **environment: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(text, **environment)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_empty_file_gives_the_defaults() -> None:
    settings = parse("")

    assert settings.store.url == "sqlite:////team/training/watcher.db"
    assert settings.store.mirrors == Path("/team/training/.watcher/mirrors")
    assert settings.schedule.sync_every == timedelta(hours=6)
    assert (settings.digest.at, settings.digest.tier) == (time(9), Tier.LIKELY)
    assert settings.pins == ()


def test_a_pin_has_githubs_address_unless_told_otherwise() -> None:
    pin = parse(PIN).pins[0]

    assert pin.git == "https://github.com/verl-project/verl.git"
    assert pin.api == "https://api.github.com"
    assert pin.ref == "v0.8.0"


def test_every_key_of_a_pin_is_read() -> None:
    pin = parse(
        '[[pins]]\nname = "torch"\nupstream = "https://github.com/pytorch/pytorch.git"\n'
        'source = "installed:torch"\npython = "env/bin/python"\nsince = 2026-01-31\n'
        'patches = ["patches/*.patch"]\ngit = "file:///srv/pytorch.git"\nbranch = "viable/strict"\n'
        'api = "off"\npaths = ["torch/distributed"]\n'
    ).pins[0]

    assert pin.upstream == "pytorch/pytorch"
    assert pin.source is not None
    assert (pin.source.kind, pin.source.name) == (SourceKind.INSTALLED, "torch")
    assert pin.python == Path("/team/training/env/bin/python")
    assert pin.since == datetime(2026, 1, 31, tzinfo=UTC)
    assert pin.api is None
    assert (pin.git, pin.branch) == ("file:///srv/pytorch.git", "viable/strict")


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ('"v0.7.0"', "v0.7.0"),
        ('"2026-01-31"', datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T08:00:00+08:00", datetime(2026, 1, 31, tzinfo=UTC)),
        ('"release-1"', "release-1"),
    ],
)
def test_since_is_a_date_or_a_ref(since: str, expected: datetime | str) -> None:
    assert parse(PIN + f"since = {since}\n").pins[0].since == expected


@pytest.mark.parametrize("until", ["2027-01-01", "2027-01-01T10:00:00"])
def test_an_ignore_may_end_on_a_toml_date(until: str) -> None:
    ignore = parse(PIN + f'[[ignore]]\nitem = "verl#1"\nuntil = {until}\n').ignore[0]

    assert ignore.until == date(2027, 1, 1)


def test_a_digest_time_may_be_a_toml_time() -> None:
    assert parse("[digest]\nat = 07:30:15\n").digest.at == time(7, 30)


def test_pins_of_several_upstreams_share_nothing() -> None:
    other = PIN.replace('"verl"', '"vllm"').replace("verl-project/verl", "vllm-project/vllm")

    assert [pin.name for pin in parse(PIN + 'branch = "dev"\n' + other).pins] == ["verl", "vllm"]


def test_digest_schedule_web_and_ignore_are_read() -> None:
    settings = parse(
        PIN + '[digest]\nat = "07:30"\ntimezone = "Asia/Shanghai"\ntier = "possible"\n'
        'all_quiet = "weekly"\nchannels = [{ type = "email", from = "w@example.org", '
        'to = ["rl@example.org"] }, { type = "slack" }]\n'
        '[schedule]\nsync_every = "1d12h"\n[web]\nport = 80\nurl = "https://w.example.org/"\n'
        '[[ignore]]\nitem = "verl#6601"\nreason = "NPU only"\nuntil = "2027-01-01"\n'
        '[[ignore]]\nitem = "verl@1a2b3c4d5"\nuntil = "pin-moves"\n'
    )

    assert [channel.kind for channel in settings.digest.channels] == [
        ChannelKind.EMAIL,
        ChannelKind.SLACK,
    ]
    assert settings.digest.all_quiet is AllQuiet.WEEKLY
    assert settings.schedule.sync_every == timedelta(days=1, hours=12)
    assert settings.web.url == "https://w.example.org"
    assert [ignore.until for ignore in settings.ignore] == [date(2027, 1, 1), IgnoreEnd.PIN_MOVES]


def test_pyproject_holds_the_same_keys_under_its_tool_table() -> None:
    text = '[project]\nname = "x"\n[tool.watcher.web]\nport = 81\n'

    assert parse(text, Path("/team/pyproject.toml")).web.port == 81


def test_a_pyproject_without_the_table_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"has no table \[tool.watcher\]"):
        parse("[project]\n", Path("/team/pyproject.toml"))


def test_profile_overlays_are_kept_as_they_stand() -> None:
    overlay = parse('[profiles.verl]\nbranch = "stable"\nexamples = ["a"]').profiles

    assert overlay == {"verl": {"branch": "stable", "examples": ["a"]}}


def test_scalars_of_the_environment_win() -> None:
    settings = parse(
        "[web]\nport = 80\n",
        WATCHER_WEB_PORT="90",
        WATCHER_STORE_URL="postgresql://db/watcher",
        WATCHER_SCHEDULE_STALE_AFTER="12h",
    )

    assert settings.web.port == 90
    assert settings.store.url == "postgresql://db/watcher"
    assert settings.schedule.stale_after == timedelta(hours=12)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite://", "sqlite://"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite:////var/w.db", "sqlite:////var/w.db"),
        ("sqlite:///data/w.db?timeout=5", "sqlite:////team/training/data/w.db?timeout=5"),
    ],
)
def test_a_relative_sqlite_file_starts_from_the_configuration(url: str, expected: str) -> None:
    assert parse("", WATCHER_STORE_URL=url).store.url == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[web]\nprot = 1\n", 'watcher.toml: unknown key web.prot (did you mean "port"?)'),
        ("[wbe]\nport = 1\n", 'watcher.toml: unknown key wbe (did you mean "web"?)'),
        ("[web]\nport = 99999\n", "web.port is 99999 (write a whole number from 1 to 65535)"),
        ("[web]\nport = true\n", "web.port is True"),
        ("a = 1\nb = \n", "watcher.toml:2: not valid TOML"),
        ('[schedule]\nsync_every = "6 moons"\n', 'write a span such as "6h" or "3d"'),
        ('[digest]\nat = "25:00"\n', "digest.at is '25:00'"),
        ('[digest]\ntimezone = "Asia/Shanhai"\n', 'did you mean "Asia/Shanghai"?'),
        ('[digest]\ntier = "sure"\n', "write one of: likely, possible, unlikely"),
        ('[digest]\nchannels = [{ type = "email", from = "x" }]', "digest.channels[1].to"),
        ("[usage]\ncode = [1]\n", "usage.code is not a list of texts"),
        ("pins = 3\n", "write [[pins]] before each entry"),
        (PIN + PIN, 'pins.verl.name is "verl", as is an earlier pin'.replace(".verl", "[2]")),
        ('[[ignore]]\nitem = "verl#1"\n', 'names no pin: "verl"'),
        (
            PIN + 'branch = "dev"\n' + PIN.replace('"verl"', '"old"'),
            'pins[2].branch differs from that of pin "verl"',
        ),
        (PIN + '[[ignore]]\nitem = "verl-1"\n', "write verl#6601"),
        (PIN + 'source = "lock:uv.lock"\n', "pins.verl.ref and source are both set"),
        (PIN.replace("ref", "# ref"), "pins.verl.ref is missing (write either ref or source)"),
        (PIN + 'since = "0001-01-01T00:00:00+09:00"\n', "pins.verl.since"),
        (PIN + "since = 0001-01-01T00:00:00+09:00\n", "pins.verl.since is out of range"),
        (PIN + 'source = "instaled:verl"\n', 'did you mean "installed"?'),
        (PIN.replace("ref", "source").replace("v0.8.0", "lock:"), "source names no file"),
        (PIN + 'api = "ftp://x"\n', "pins.verl.api is 'ftp://x'"),
        (PIN.replace("verl-project/verl", "verl"), "pins.verl.upstream is 'verl'"),
        (PIN.replace('"verl"', '"a b"'), "pins[1].name is 'a b'"),
        (PIN.replace('"verl"', '"advisory"'), "pins[1].name is 'advisory'"),
        (PIN.replace('name = "verl"', ""), "pins[1].name is missing"),
        ("[usage]\npaths = ['../x']\n", "usage.paths"),
        ("[usage]\ncode = ['']\n", "usage.code holds an empty text"),
        ("[digest]\nchannels = [{}]\n", "digest.channels[1].type is missing"),
        (
            '[digest]\nchannels = [{ type = "email", from = "x", to = ["a@b"] }]',
            "digest.channels[1].from 'x' is no address",
        ),
        ("[web]\nurl = 'example.org'\n", "web.url is not an http(s) address"),
        ("[web]\nuser_header = 'a b'\n", "web.user_header is no header name"),
        ("[web]\nhost = '-x y'\n", "web.host is '-x y'"),
        (PIN + '[[ignore]]\nitem = "verl#1"\nuntil = "later"\n', "ignore[1].until is 'later'"),
        ("[profiles]\nverl = 1\n", "profiles.verl is not a table"),
        ("[store]\nurl = 'watcher.db'\n", "store.url is not a database address"),
    ],
)
def test_a_bad_key_is_one_line_with_file_key_and_mend(text: str, expected: str) -> None:
    assert expected in refusal(text)


@pytest.mark.parametrize("ref", ["-v0.8.0", "a..b", "a b", "x\\u0007", "HEAD~1", "a@{1}", "x.lock"])
def test_a_ref_that_git_could_misread_is_refused(ref: str) -> None:
    assert "pins.verl.ref" in refusal(PIN.replace("v0.8.0", ref))


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c id",
        "ext::x@y:z",
        "https://token@github.com/a/b.git",
        "https://u:p@github.com/a/b.git",
        "ssh://-oProxyCommand=id/x",
        "git@-oProxyCommand=id:x",
        "file://relative/path",
        "/srv/verl.git",
        "--upload-pack=id",
        "https://",
        "https://[",
    ],
)
def test_an_address_that_is_not_plain_is_refused(address: str) -> None:
    line = refusal(PIN + f'git = "{address}"\n')

    assert "pins.verl.git" in line
    assert "token@" not in line


@pytest.mark.parametrize(
    "address",
    [
        "git@github.com:a/b.git",
        "ssh://git@host:22/a",
        "http://127.0.0.1:80/a",
        "file:///srv/a b"[:-2],
    ],
)
def test_the_usual_addresses_are_taken(address: str) -> None:
    assert parse(PIN + f'git = "{address}"\n').pins[0].git == address


@pytest.mark.parametrize("path", ["../x", "-x", "/etc", ":(top)x"])
def test_a_path_that_leaves_the_upstream_is_refused(path: str) -> None:
    assert "pins.verl.paths" in refusal(PIN + f'paths = ["{path}"]\n')


toml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(awkward, max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_literal(item) for item in value)}]"
    if value is None:
        return "nan"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08x}" for c in value) + '"'
    return str(value)


KEYS = [
    "pins", "store", "usage", "digest", "web", "store.url", "usage.gpus", "usage.code", "digest.at",
    "digest.timezone", "digest.channels", "schedule.sync_every", "web.port", "web.url", "ignore",
    "profiles", "profiles.verl", "advisories.files",
]  # fmt: skip


@robust
@given(st.dictionaries(st.sampled_from(KEYS), toml_values, max_size=4))
def test_no_value_raises_anything_but_a_config_error(values: dict[str, object]) -> None:
    text = "\n".join(f"{key} = {_literal(value)}" for key, value in values.items())
    line = ""
    try:
        parse(text)
    except ConfigError as error:
        line = str(error)
    assert "\n" not in line


@robust
@given(
    st.sampled_from(["name", "upstream", "ref", "source", "since", "git", "api", "paths", "x"]),
    toml_values,
)
def test_no_pin_raises_anything_but_a_config_error(key: str, value: object) -> None:
    line = ""
    try:
        parse(PIN.replace(f"{key} =", "# ") + f"{key} = {_literal(value)}\n")
    except ConfigError as error:
        line = str(error)
    assert "\n" not in line


@robust
@given(st.text(awkward, max_size=60))
def test_no_text_raises_anything_but_a_config_error(text: str) -> None:
    line = ""
    try:
        parse(text)
    except ConfigError as error:
        line = str(error)
    assert "\n" not in line


def test_deep_nesting_is_one_line() -> None:
    assert "nested too deeply" in refusal("a = " + "[" * 20_000)
    assert "watcher.toml:2" in refusal("b = 1\n" + "a." * 20_000 + "a = 1")
