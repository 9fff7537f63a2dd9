"""Each page says what it is for, and every filter is in its address."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.web.dangers import Page


def words(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return " ".join(Page(answer.text).words.split())


def test_the_overview_tells_where_the_pin_stands(client: TestClient) -> None:
    told = words(client, "/")

    assert "example/rltrain at v1.1.0" in told
    assert "7 changes, 7 fixes" in told
    assert "known up to 2026-03-24" in told
    assert "rltrain#17" in told


def test_the_chart_ends_at_the_number_of_missing_fixes(client: TestClient) -> None:
    answer = client.get("/").text

    assert "Missing fixes as they landed: 7, 1 of them likely" in " ".join(
        Page(answer).words.split()
    )
    assert "<svg" in answer


def test_the_list_counts_what_it_does_not_show_and_links_to_it(client: TestClient) -> None:
    page = Page(client.get("/list").text)
    (link,) = (link for link in page.links if "tier=unlikely" in link)

    assert "Not shown: 3 unlikely" in " ".join(page.words.split())
    assert "rltrain#16" in words(client, link)


@pytest.mark.parametrize(
    ("query", "present", "absent"),
    [
        ("q=garbled", "rltrain#17", "rltrain#21"),
        ("q=GARBLED+rollout", "rltrain#17", "rltrain#20"),
        ("q=padded+buffer", "rltrain#17", "rltrain#21"),
        ("q=current_stream", "rltrain#17", "rltrain#21"),
        ("file=checkpoint.py", "rltrain#20", "rltrain#17"),
        ("facet=npu&tier=unlikely", "rltrain#16", "rltrain#19"),
        ("kind=fix&q=prefetch", "rltrain#18", "rltrain#17"),
        ("since=2026-03-23", "rltrain#21", "rltrain#17"),
        ("until=2026-03-19", "rltrain#17", "rltrain#21"),
        ("state=merged&tier=likely", "rltrain#17", "rltrain#21"),
        ("presence=present&pin=rltrain", "rltrain#17", "rltrain#16"),
    ],
)
def test_filters_in_the_address_select(
    client: TestClient, query: str, present: str, absent: str
) -> None:
    rows = Page(client.get(f"/list?{query}").text).rows

    assert present in rows
    assert absent not in rows


def test_nonsense_in_the_address_is_left_out(client: TestClient) -> None:
    assert "4 items" in words(client, "/list?tier=great&page=x&per=7&since=soon&pin=other&zzz=1")
    assert "4 items" in words(client, "/list?page=999999")


def test_sorting_by_name_changes_the_order(client: TestClient) -> None:
    rows = Page(client.get("/list?sort=name").text).rows

    assert rows == ["rltrain#17", "rltrain#18", "rltrain#20", "rltrain#21"]


def test_pages_of_a_list_keep_its_filters() -> None:
    from watcher.web.query import parse_list_query

    query = parse_list_query([("q", "a b"), ("tier", "likely"), ("page", "2")], ["verl"])

    assert query.address(page=3) == "/list?tier=likely&q=a+b&page=3"
    assert query.address(q=None) == "/list?tier=likely"


def test_why_and_the_pick_are_in_the_row(client: TestClient) -> None:
    answer = client.get("/list?q=garbled").text

    assert "Why likely" in answer
    assert "touches rltrain/offload.py, which you rely on" in answer
    assert "cherry-pick -x" in answer


def test_an_item_page_holds_the_whole_report(client: TestClient) -> None:
    told = words(client, "/item/rltrain%2317")

    for part in (
        "For your pin",
        "Ways to get it",
        "Why, in its author's words",
        "Why it may concern you",
        "Hunks",
        "Timeline",
        "your pin v1.1.0",
        "One bug, several mends",
        "rltrain#20",
        "no test was touched",
        "torch.cuda.current_stream().synchronize()",
    ):
        assert part in told


def test_weights_on_an_item_page_add_up_to_the_score(client: TestClient, demo_app) -> None:
    item = demo_app.board().by_name["rltrain#17"].item
    total = item.constant + sum(one.weight for one in item.evidence)

    told = words(client, "/item/rltrain%2317")

    assert f"{total:+.2f} together; the score is the logistic of it, {item.score:.2f}" in told


@pytest.mark.parametrize("name", ["rltrain%23999", "nobody%231", "x", "advisory:none", "a/b/c"])
def test_an_unknown_item_is_not_found(client: TestClient, name: str) -> None:
    assert client.get(f"/item/{name}").status_code == 404


def test_an_upgrade_page_compares_targets(client: TestClient) -> None:
    assert client.get("/upgrade", follow_redirects=False).headers["location"] == "/upgrade/rltrain"
    told = words(client, "/upgrade/rltrain")

    assert "v1.2.0" in told
    assert "smallest with all likely" in told
    assert client.get("/upgrade/other").status_code == 404


def test_a_pasted_log_is_answered_and_not_stored(client: TestClient, demo_app) -> None:
    before = demo_app.store.document("usage", "joined")
    token = Page(client.get("/check").text).fields["form_token"]
    fields = {
        "form_token": token,
        "words": "garbled output after cpu offload, 3 gpus",
        "log": "RuntimeError: unmistakable-marker\n",
        "settings": "actor.strategy=fsdp2",
    }

    answer = client.post("/check", files={name: (None, value) for name, value in fields.items()})

    assert answer.status_code == 200
    assert "rltrain#17" in Page(answer.text).words
    assert "unmistakable-marker" in answer.text
    assert demo_app.store.document("usage", "joined") == before


def test_an_uploaded_file_counts_as_the_log(client: TestClient) -> None:
    token = Page(client.get("/check").text).fields["form_token"]

    answer = client.post(
        "/check",
        data={"form_token": token},
        files={"file": ("run.log", b"RuntimeError: garbled rollout after offload\n")},
    )

    assert answer.status_code == 200
    assert "garbled rollout after offload" in Page(answer.text).words


def test_checking_nothing_says_what_to_give(client: TestClient) -> None:
    token = Page(client.get("/check").text).fields["form_token"]

    answer = client.post("/check", data={"form_token": token})

    assert answer.status_code == 400
    assert "describe it in words, or paste a log" in answer.text


def test_head_has_the_same_headers_and_no_body(client: TestClient) -> None:
    answer = client.head("/list")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/html")


def test_the_wrong_method_is_refused_with_the_right_ones(client: TestClient) -> None:
    answer = client.put("/list")

    assert answer.status_code == 405
    assert "GET" in answer.headers["allow"]


def test_static_files_are_kept_by_version(client: TestClient) -> None:
    answer = client.get("/static/watcher.css?v=1")

    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/..%2fapp.py").status_code == 404


def test_new_items_are_those_found_after_the_last_visit(client: TestClient, demo_app) -> None:
    from watcher.web.visit import VISIT_COOKIE

    long_ago = {"cookie": f"{VISIT_COOKIE}=1600000000.1600000000"}
    just_now = int(demo_app.clock.now().timestamp())
    recent = {"cookie": f"{VISIT_COOKIE}={just_now}.{just_now}"}

    assert "4 items since" in client.get("/", headers=long_ago).text
    assert "Nothing since" in client.get("/", headers=recent).text


def test_health_needs_no_known_host(client: TestClient) -> None:
    for path in ("/healthz", "/readyz"):
        assert client.get(path, headers={"host": "probe.internal"}).status_code == 200


def test_a_local_cause_comes_first_with_its_remedy_and_has_a_page(client: TestClient) -> None:
    token = Page(client.get("/check").text).fields["form_token"]
    log = "OSError: [Errno 98] Address already in use\n"

    answer = client.post("/check", data={"form_token": token, "log": log})

    page = Page(answer.text)
    assert page.rows[0] == "advisory:port-in-use"
    assert "Look here first, not upstream" in page.words
    assert "ray stop --force" in page.words
    told = words(client, "/item/advisory:port-in-use")
    assert "ray stop --force" in told
    assert client.get("/api/v1/items/advisory:port-in-use").json()["items"][0]["kind"] == "advisory"
