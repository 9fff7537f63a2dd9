"""Hostile text stays text, foreign forms are refused, strangers stay outside."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from msgspec.structs import replace

from tests.web.conftest import EVIL
from tests.web.dangers import Page
from watcher.app import App
from watcher.errors import ConfigError
from watcher.settings import Secrets, SecretText, WebSettings
from watcher.web.access import Access
from watcher.web.app import create
from watcher.web.guard import HEADERS, LARGEST_BODY, KnownHosts
from watcher.web.site import own_address
from watcher.web.throttle import MOST_FAILURES, Throttle

# --- text of strangers ---


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/list?all=1",
        "/list?all=1&q=crash",
        "/item/engine%232",
        "/item/engine%233",
        "/upgrade/engine",
        f"/list?q={EVIL}&file={EVIL}&facet={EVIL}&since={EVIL}",
        f'/list?q="onmouseover="alert(1)&sort={EVIL}',
        f"/item/{EVIL}",
        f"/upgrade/{EVIL}",
        f"/login?back={EVIL}",
        f"/{EVIL}",
    ],
)
def test_nothing_hostile_becomes_markup(hostile: TestClient, address: str) -> None:
    page = Page(hostile.get(address).text)

    assert page.dangers == []


def test_hostile_text_is_shown_as_text(hostile: TestClient) -> None:
    assert Page(hostile.get("/list?all=1&sort=name").text).rows == ["engine#2", "engine#3"]
    told = Page(hostile.get("/item/engine%232").text)

    assert "<script>alert(1)</script> crash" in told.words
    assert "src/<img src=x onerror=alert(1)>.py" in told.words
    assert "\u202e" not in told.words
    assert "https://example.org/ok" in told.links


def test_a_hostile_log_is_shown_as_text(hostile: TestClient) -> None:
    token = Page(hostile.get("/check").text).fields["form_token"]
    fields = {
        "form_token": token,
        "words": f'{EVIL}" autofocus onfocus="alert(1)',
        "log": f"</textarea>{EVIL}\nRuntimeError: {EVIL} crash in run\n",
        "settings": f"a.b={EVIL}",
    }

    answer = hostile.post("/check", data=fields)

    page = Page(answer.text)
    assert answer.status_code == 200
    assert page.dangers == []
    assert f"</textarea>{EVIL}" in page.words


def test_every_answer_carries_the_safety_headers(client: TestClient) -> None:
    for address in ("/", "/nope", "/api/v1/pins", "/static/watcher.js", "/healthz"):
        headers = client.get(address).headers
        assert all(headers[name] == value for name, value in HEADERS.items())
    assert "unsafe-inline" not in HEADERS["content-security-policy"]


# --- forms ---


def ignored(client: TestClient, **fields: str) -> int:
    given = {"item": "rltrain#21", "reason": "not ours", "back": "/list"} | fields
    return client.post("/ignore", data=given, follow_redirects=False).status_code


def test_a_form_without_its_token_changes_nothing(client: TestClient, demo_app: App) -> None:
    client.get("/list")

    assert ignored(client) == 403
    assert ignored(client, form_token="0" * 64) == 403
    assert demo_app.standing() == {}


def test_another_reader_s_token_is_refused(client: TestClient, demo_app: App) -> None:
    token = Page(client.get("/list").text).fields["form_token"]

    with TestClient(create(demo_app), base_url="http://localhost") as other:
        other.get("/list")
        assert ignored(other, form_token=token) == 403


def test_a_form_sent_from_another_site_is_refused(client: TestClient, demo_app: App) -> None:
    token = Page(client.get("/list").text).fields["form_token"]
    fields = {"item": "rltrain#21", "reason": "x", "form_token": token}

    answer = client.post("/ignore", data=fields, headers={"sec-fetch-site": "cross-site"})

    assert answer.status_code == 403
    assert demo_app.standing() == {}


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("/list?q=a", "/list?q=a"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/a\r\nset-cookie: x=1", "/"),
        ("", "/"),
    ],
)
def test_one_only_goes_back_to_this_host(address: str, own: str) -> None:
    assert own_address(address) == own


# --- size and host ---


def test_a_body_beyond_the_limit_is_refused_unread(client: TestClient) -> None:
    said = client.post("/check", content=b"", headers={"content-length": str(LARGEST_BODY + 1)})
    assert said.status_code == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(LARGEST_BODY // 1_000_000 + 2):
            yield b"x" * 1_000_000

    kind = {"content-type": "multipart/form-data; boundary=b"}
    assert client.post("/check", content=chunks(), headers=kind).status_code in {400, 413}


def test_a_log_of_five_megabytes_is_taken(client: TestClient) -> None:
    token = Page(client.get("/check").text).fields["form_token"]
    log = f"INFO {'step done ' * 400}\n" * 1_100 + "RuntimeError: garbled rollout after offload\n"
    fields = {"form_token": (None, token), "log": (None, log)}

    assert len(log) > 4_000_000
    assert client.post("/check", files=fields).status_code == 200


def test_a_foreign_host_name_is_refused(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"host": "localhost:8765"}).status_code == 200


@pytest.mark.parametrize(
    ("bound", "url", "header", "known"),
    [
        ("127.0.0.1", None, "127.0.0.1:8765", True),
        ("127.0.0.1", None, "[::1]:8765", True),
        ("127.0.0.1", None, "10.0.0.1", False),
        ("127.0.0.1", "https://watcher.example.org", "watcher.example.org", True),
        ("0.0.0.0", None, "10.0.0.1:8765", True),
        ("0.0.0.0", None, "evil.example", False),
        ("127.0.0.1", None, "", False),
        ("127.0.0.1", None, "[bad", False),
    ],
)
def test_which_hosts_are_known(bound: str, url: str | None, header: str, known: bool) -> None:
    assert KnownHosts.of(WebSettings(url=url), bound).knows(header) is known


# --- who may come in ---

TOKEN = "correct horse battery"


def guarded(app: App, **web: str | None) -> App:
    secrets = Secrets(web_token=SecretText(TOKEN))
    settings = replace(app.settings, secrets=secrets, web=replace(app.settings.web, **web))
    return App(settings, app.environment)


@pytest.fixture
def stranger(demo_app: App) -> Iterator[TestClient]:
    app = guarded(demo_app)
    with TestClient(create(app), base_url="http://localhost", follow_redirects=False) as reader:
        yield reader
    app.close()


def test_an_open_address_with_nothing_before_it_is_refused(demo_app: App) -> None:
    with pytest.raises(ConfigError, match="WATCHER_WEB_TOKEN"):
        create(demo_app, host="0.0.0.0")

    create(guarded(demo_app), host="0.0.0.0")


def test_a_stranger_is_sent_to_the_form_and_comes_back(stranger: TestClient) -> None:
    sent = stranger.get("/list?q=a")
    assert sent.headers["location"] == "/login?back=%2Flist%3Fq%3Da"
    form = Page(stranger.get(sent.headers["location"]).text).fields

    wrong = stranger.post("/login", data=form | {"token": "guess"})
    right = stranger.post("/login", data=form | {"token": TOKEN})

    assert wrong.status_code == 403
    assert (right.status_code, right.headers["location"]) == (303, "/list?q=a")
    assert "httponly" in right.headers["set-cookie"].lower()
    assert stranger.get("/list?q=a").status_code == 200


def test_logging_out_ends_the_session(stranger: TestClient) -> None:
    form = Page(stranger.get("/login").text).fields
    stranger.post("/login", data=form | {"token": TOKEN})

    stranger.post("/logout", data={"form_token": form["form_token"]})

    assert stranger.get("/").status_code == 303


def test_programs_bring_the_token_in_a_header(stranger: TestClient) -> None:
    assert stranger.get("/api/v1/pins").status_code == 401
    assert stranger.post("/ignore", data={}).status_code == 401
    wrong = {"authorization": "Bearer guess"}
    assert stranger.get("/api/v1/pins", headers=wrong).status_code == 401
    right = {"authorization": f"Bearer {TOKEN}"}
    assert stranger.get("/api/v1/pins", headers=right).status_code == 200


@pytest.mark.parametrize("cookie", ["", "1.x", "99999999999.0", "x.y", "9" * 400])
def test_a_forged_session_is_none(stranger: TestClient, cookie: str) -> None:
    assert stranger.get("/", headers={"cookie": f"watcher_session={cookie}"}).status_code == 303


def test_the_proxy_s_header_lets_in(demo_app: App) -> None:
    web = replace(demo_app.settings.web, user_header="x-user")
    app = App(replace(demo_app.settings, web=web), demo_app.environment)

    with TestClient(create(app, host="0.0.0.0"), base_url="http://localhost") as reader:
        assert reader.get("/list").status_code == 401
        assert reader.get("/list", headers={"x-user": "ada"}).status_code == 200
    app.close()


def test_guessing_is_slowed_down(demo_app: App) -> None:
    throttle, now = Throttle(), demo_app.clock.now()
    for _ in range(MOST_FAILURES):
        assert throttle.admits(now)
        throttle.note_failure(now)

    assert not throttle.admits(now)
    assert throttle.admits(now + timedelta(minutes=2))


def test_secrets_do_not_show_in_a_dump(demo_app: App) -> None:
    assert TOKEN not in repr(Access.of(guarded(demo_app).settings, "127.0.0.1"))


# --- ignoring in place ---


def test_ignoring_needs_a_reason_and_can_be_taken_back(client: TestClient, demo_app: App) -> None:
    token = Page(client.get("/list").text).fields["form_token"]

    assert ignored(client, form_token=token, reason=" ") == 400
    assert ignored(client, form_token=token, item="rltrain#999") == 404
    assert ignored(client, form_token=token, until="tomorrow") == 400
    assert ignored(client, form_token=token) == 303
    assert "rltrain#21" not in Page(client.get("/list").text).rows
    assert "1 ignored" in client.get("/list").text
    fields = {"form_token": token, "item": "rltrain#21", "back": "/list?ignored=1"}
    back = client.post("/unignore", data=fields, headers={"x-fragment": "1"})
    assert Page(back.text).rows == ["rltrain#21"]
    assert "rltrain#21" in Page(client.get("/list").text).rows


def test_a_fragment_is_the_row_alone(client: TestClient) -> None:
    token = Page(client.get("/list").text).fields["form_token"]
    fields = {"form_token": token, "item": "rltrain#18", "reason": f"{EVIL} not ours"}

    answer = client.post("/ignore", data=fields, headers={"x-fragment": "1"})

    page = Page(answer.text)
    assert page.rows == ["rltrain#18"]
    assert page.dangers == []
    assert f"Ignored: {EVIL} not ours" in page.words
    client.post("/unignore", data=fields)
