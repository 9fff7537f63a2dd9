"""The digest's mail before a real reader's engine: at a phone's and at a desk's width."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.digest.test_render import HOSTILE, TEMPLATES
from tests.digest_scenes import make_item, make_scene
from watcher.digest.compose import compose
from watcher.facts.item import Tier

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = [make_item(number, title=title) for number, title in enumerate(HOSTILE, 20)]
    ordinary = [make_item(1), make_item(2, tier=Tier.POSSIBLE, title="fix: 输出乱码")]
    lost = {"slack:2026-05-03": "slack: HTTP 404"}
    digest = compose(make_scene(*ordinary, *items, tier=Tier.POSSIBLE, given_up=lost), None)
    assert digest is not None
    file = tmp_path_factory.mktemp("mail") / "mail.html"
    file.write_text(TEMPLATES.mail_html(digest), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", [390, 1440])
def test_a_mail_fits_its_window_runs_nothing_and_asks_nobody(
    browser: Browser, mail: Path, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    asked: list[str] = []
    told: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: told.append(dialog.message))
    page.on("console", lambda message: told.append(message.text))

    page.goto(mail.as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("table table table").count() == 2 + len(HOSTILE)
    assert page.locator("h1").is_visible()
    assert page.get_by_text("输出乱码").is_visible()
    assert (asked, told) == ([mail.as_uri()], [])
    page.close()
