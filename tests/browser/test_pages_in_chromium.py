"""Each page in a real browser: it fits, is quiet, stays on its host and is accessible."""

from __future__ import annotations

import itertools

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Reader

pytestmark = pytest.mark.browser

PAGES = {
    "overview": "/",
    "list": "/list?tier=likely&tier=possible&tier=unlikely",
    "item": "/item/rltrain%2317",
    "check": "/check",
    "upgrade": "/upgrade/rltrain",
    "not found": "/item/rltrain%23999",
}
WINDOWS = list(itertools.product((390, 1440), ("light", "dark"), (True, False)))


def expected_complaints(reader: Reader, path: str) -> None:
    """A page that is not there is a failed request to the console: that one is meant."""
    reader.complaints = [one for one in reader.complaints if not ("999" in path and "404" in one)]


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES.keys())
@pytest.mark.parametrize("reader", WINDOWS, indirect=True, ids=str)
def test_a_page_fits_and_is_quiet(reader: Reader, path: str) -> None:
    page = reader.open(path)

    expect(page.locator("h1")).to_be_visible()
    width = page.viewport_size
    assert width is not None
    box = page.locator("main").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width["width"] + 1
    expected_complaints(reader, path)


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES.keys())
@pytest.mark.parametrize("reader", [one for one in WINDOWS if one[2]], indirect=True, ids=str)
def test_axe_finds_nothing_serious(reader: Reader, path: str) -> None:
    page = reader.open(path)
    for part in page.locator("main details").all():
        part.evaluate("one => { one.open = true; }")

    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    expected_complaints(reader, path)


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in {"serious", "critical", "moderate"}
        for node in one["nodes"]
    ]


def row_of(page: Page, number: int) -> Locator:
    return page.locator(f'[data-row][data-open="/item/rltrain%23{number}"]')


def test_keys_walk_the_list_and_open_an_item(reader: Reader) -> None:
    page = reader.open("/list")

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("[data-row].here .id")).to_have_text("rltrain#17")
    page.keyboard.press("w")
    expect(page.locator("[data-row].here [data-why] .evidence")).to_be_visible()
    page.keyboard.press("/")
    expect(page.locator("[data-search]")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{reader.address}/item/rltrain%2317")


def test_the_cherry_pick_is_copied(reader: Reader) -> None:
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = reader.open("/list")

    page.keyboard.press("j")
    page.keyboard.press("c")

    expect(page.locator("[role=status]")).to_have_text("Copied")
    assert "git cherry-pick -x" in page.evaluate("navigator.clipboard.readText()")


def test_ignoring_with_scripts_replaces_the_row_alone(reader: Reader) -> None:
    page = reader.open("/list")
    page.evaluate("window.stays = true")
    row = row_of(page, 21)

    row.get_by_text("Ignore", exact=True).first.click()
    row.get_by_label("Reason").fill("we restart the server ourselves")
    row.get_by_role("button", name="Ignore").click()

    expect(row.get_by_text("Ignored: we restart the server ourselves")).to_be_visible()
    assert page.evaluate("window.stays") is True
    row.get_by_role("button", name="Take back").click()
    expect(row.get_by_text("Cherry-pick", exact=True)).to_be_visible()


@pytest.mark.parametrize("reader", [(390, "light", False)], indirect=True, ids=str)
def test_ignoring_works_without_scripts(reader: Reader) -> None:
    page = reader.open("/list")
    row = row_of(page, 20)

    row.get_by_text("Ignore", exact=True).first.click()
    row.get_by_label("Reason").fill("no checkpoints here")
    row.get_by_role("button", name="Ignore").click()

    expect(page.get_by_role("link", name="1 ignored")).to_be_visible()
    page.get_by_role("link", name="1 ignored").click()
    row_of(page, 20).get_by_role("button", name="Take back").click()
    expect(page.get_by_role("link", name="1 ignored")).to_have_count(0)


@pytest.mark.parametrize(
    "reader", [(390, "dark", True), (1440, "light", False)], indirect=True, ids=str
)
def test_a_symptom_is_answered(reader: Reader) -> None:
    page = reader.open("/check")

    page.get_by_label("What happens").fill("garbled output after cpu offload with 3 gpus")
    page.get_by_label("Log or traceback").fill("RuntimeError: <script>alert(1)</script>\n" * 3)
    page.get_by_role("button", name="Check").click()

    expect(page.locator("#answer")).to_contain_text("rltrain#17")


def test_why_something_is_unlikely_is_one_click_away(reader: Reader) -> None:
    page = reader.open("/list?tier=unlikely")

    row = page.locator("[data-row]").first
    row.get_by_text("Why unlikely").click()

    expect(row.locator("[data-why] p, [data-why] td").first).to_be_visible()
