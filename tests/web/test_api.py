"""The API keeps the contract, says when nothing changed, and refuses in JSON."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from openapi_schema_validator import OAS31Validator

from watcher.app import App
from watcher.web.contract import AnswerModel, FailureModel


def get(client: TestClient, address: str, **headers: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1{address}", headers=headers)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    AnswerModel.model_validate(body)
    assert isinstance(body, dict)
    return body


@pytest.mark.parametrize(
    ("address", "command"),
    [
        ("/pins", "pins"),
        ("/list", "list"),
        ("/list?all=true&at=rltrain=v1.0.0", "list"),
        ("/items/rltrain%2317", "show"),
        ("/upgrade/rltrain", "upgrade"),
    ],
)
def test_answers_keep_the_contract(client: TestClient, address: str, command: str) -> None:
    body = get(client, address)

    assert (body["schema"], body["command"]) == ("watcher/1", command)
    assert body["pins"][0]["name"] == "rltrain"


def test_lists_filter_page_and_count(client: TestClient) -> None:
    def names(query: str) -> list[str]:
        return [item["id"] for item in get(client, f"/list?{query}")["items"]]

    assert names("tier=likely") == ["rltrain#17"]
    assert names("sort=name&limit=2&offset=1") == ["rltrain#18", "rltrain#20"]
    assert get(client, "/list?limit=1")["collapsed"] == {"beyond the limit": 3, "unlikely": 3}
    assert len(names("all=true")) == 7


def test_another_pin_is_answered_for(client: TestClient) -> None:
    moved = get(client, "/list?all=true&at=rltrain=v1.0.0")
    earlier = get(client, "/list?all=true&as_of=2026-03-20")

    assert {item["id"] for item in moved["items"]} >= {"rltrain#12", "rltrain#17"}
    assert "rltrain#21" not in {item["id"] for item in earlier["items"]}


def test_nothing_new_is_not_sent_again(client: TestClient) -> None:
    for address in ("/api/v1/list?limit=3", "/api/v1/items/rltrain%2317", "/api/v1/pins"):
        first = client.get(address)
        etag = first.headers["etag"]
        again = client.get(address, headers={"if-none-match": f'"other", {etag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag


def test_a_decision_changes_the_etag(client: TestClient, demo_app: App) -> None:
    from tests.web.dangers import Page
    from tests.web.test_safety import ignored

    before = client.get("/api/v1/list").headers["etag"]
    token = Page(client.get("/list").text).fields["form_token"]
    assert ignored(client, form_token=token, item="rltrain#20") == 303

    after = client.get("/api/v1/list", headers={"if-none-match": before})

    assert after.status_code == 200
    assert after.json()["collapsed"]["ignored"] == 1
    demo_app.unignore("rltrain#20")


def test_a_symptom_is_answered(client: TestClient) -> None:
    asked = {"words": "garbled output", "log": "RuntimeError: x", "settings": ["a.b=1"], "limit": 3}

    body = client.post("/api/v1/check", json=asked).json()

    AnswerModel.model_validate(body)
    assert len(body["items"]) <= 3
    assert body["symptom"]["errors"] == ["RuntimeError: x"]


def test_suspects_come_with_the_last_good_commit(client: TestClient) -> None:
    asked = {"words": "garbled output after offload", "last_good": "v1.0.0"}

    body = client.post("/api/v1/check", json=asked).json()

    assert "rltrain#12" in {item["id"] for item in body["suspects"]}


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("GET", "/list?tier=great", 400),
        ("GET", "/list?pin=other", 400),
        ("GET", "/list?nonsense=1", 400),
        ("GET", "/list?at=v1.0.0&at=other=v1", 400),
        ("GET", "/list?at=rltrain=v99", 400),
        ("GET", "/items/rltrain%23999", 404),
        ("GET", "/upgrade/other", 404),
        ("GET", "/nothing", 404),
        ("POST", "/list", 405),
        ("POST", "/check", 400),
        ("GET", "/check", 405),
    ],
)
def test_refusals_are_json(client: TestClient, method: str, address: str, status: int) -> None:
    answer = client.request(method, f"/api/v1{address}")

    assert answer.status_code == status, answer.text
    FailureModel.model_validate(answer.json())


def test_a_check_from_a_foreign_form_is_refused(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        headers = {"content-type": kind}
        answer = client.post("/api/v1/check", content='{"words": "a"}', headers=headers)
        assert answer.status_code in {400, 415}


def test_the_description_describes_every_route(client: TestClient) -> None:
    described = client.get("/api/v1/openapi.json").json()

    assert set(described["paths"]) == {
        "/api/v1/pins",
        "/api/v1/list",
        "/api/v1/items/{name}",
        "/api/v1/check",
        "/api/v1/upgrade/{pin}",
    }
    schema = described["components"]["schemas"]["ItemModel"]
    OAS31Validator.check_schema(schema)
    assert "presence_detail" in schema["properties"]
