"""Every medium keeps its limits, and strangers' text does no harm in any of them."""

from __future__ import annotations

import json
import re
from email import message_from_bytes
from email.policy import default
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.digest_scenes import NOW, make_item, make_scene, make_status
from watcher.adapters.templates import DigestTemplates
from watcher.digest.as_json import digest_json
from watcher.digest.compose import compose, compose_quiet, remember
from watcher.digest.feishu import BODY_LIMIT, render_feishu
from watcher.digest.mail import Letter, render_mail
from watcher.digest.record import Digest
from watcher.digest.slack import render_slack
from watcher.digest.text import render_text
from watcher.digest.words import SUBJECT_LIMIT, headline, subject
from watcher.facts.item import Item, Route, RouteKind, Tier

TEMPLATES = DigestTemplates(Path(__file__).parents[2] / "templates" / "digest")
LETTER = Letter(key="email:2026-05-04", sender="w@example.org", to=("a@example.org",), made_at=NOW)

HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    '"><style>*{display:none}</style></table></body>',
    "<!channel> <!here> @here @channel <@U012AB3CD> &lt;!channel&gt;",
    "<https://evil.example|https://watcher.example.org> [click](https://evil.example)",
    "Subject\r\nBcc: everyone@example.org\r\n\r\nforged body",
    '<at user_id="all">all</at> {{ config }} {% raw %} ${x}',
    "\u202egnp.exe \x1b]8;;https://evil.example\x07here\x1b]8;;\x07 \x00\x07",
    "*bold* _it_ ~no~ `code` ```block``` | x",
    "🤖" * 400,
    "x" * 5_000,
]


def made(*items: Item, **fields: object) -> Digest:
    digest = compose(make_scene(*items, **fields), None)
    assert digest is not None
    return digest


@pytest.fixture(scope="module")
def hostile() -> Digest:
    items = [
        make_item(number, title=text, presence_detail=text, withdrawn_by=text)
        for number, text in enumerate(HOSTILE, 1)
    ]
    lost = make_status(name="x", reason=HOSTILE[2], sha=None)
    return made(*items, statuses=(make_status(ref=HOSTILE[0]), lost))


class Page(HTMLParser):
    """Collects what a mail reader would act on."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]


def test_a_mail_cannot_be_broken_out_of(hostile: Digest) -> None:
    page = Page(TEMPLATES.mail_html(hostile))

    assert not {"script", "img", "style", "link", "iframe"} & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on")}
    assert page.tags.count("table") == page.tags.count("tr") == 2 + len(HOSTILE)
    assert all(link.startswith("https://watcher.example.org/") for link in page.links)


def test_a_mail_has_its_styles_inline_and_asks_for_nothing(hostile: Digest) -> None:
    html = TEMPLATES.mail_html(hostile)

    assert 'class="card card-likely" style="' in html or re.search(r'style="[^"]+"', html)
    assert "url(" not in html
    assert "http://" not in re.sub(r"http://www\.w3\.org\S*", "", html)


def test_no_header_is_forged_and_the_whole_mail_is_seven_bit(hostile: Digest) -> None:
    forging = replace(hostile, entries=hostile.entries[4:5])

    raw = render_mail(forging, TEMPLATES.mail_html(hostile), LETTER).as_bytes()
    mail = message_from_bytes(raw, policy=default)

    assert mail["Bcc"] is None
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) < 998
    assert "Bcc: everyone" in mail["Subject"]
    assert len(mail["Subject"]) <= SUBJECT_LIMIT


def test_a_mail_has_a_text_twin_and_headers_of_lists_and_threads() -> None:
    digest = made(make_item(title="fix: 输出乱码"))
    letter = replace(LETTER, parent="<2@example.org>", root="<1@example.org>")

    mail = message_from_bytes(
        render_mail(digest, TEMPLATES.mail_html(digest), letter).as_bytes(), policy=default
    )
    text, html = mail.iter_parts()

    assert [part.get_content_type() for part in (text, html)] == ["text/plain", "text/html"]
    assert text.get_content().replace("\r\n", "\n") == render_text(digest)
    assert "输出乱码" in html.get_content()
    assert mail["References"].split() == ["<1@example.org>", "<2@example.org>"]
    assert mail["In-Reply-To"] == "<2@example.org>"
    assert mail["List-Id"] == "watcher digest <digest.watcher.example.org>"
    assert mail["Date"].datetime == NOW


def test_the_same_digest_under_one_key_is_the_same_mail_to_the_last_byte() -> None:
    digest = made(make_item())

    def mail(letter: Letter) -> bytes:
        return render_mail(digest, TEMPLATES.mail_html(digest), letter).as_bytes()

    assert mail(LETTER) == mail(LETTER)
    other = replace(LETTER, key="email:2026-05-05")
    assert b"Message-ID: " in mail(other)
    assert mail(other) != mail(LETTER)


def slack_texts(body: dict[str, object]) -> list[tuple[str, str]]:
    found = []
    for block in json.loads(json.dumps(body))["blocks"]:
        parts = [block["text"]] if "text" in block else block["elements"]
        found += [(block["type"], part["text"]) for part in parts]
    return found


def test_slack_keeps_within_its_limits() -> None:
    many = [make_item(n, title="<&>" * 900, presence_detail="&" * 3000) for n in range(1, 90)]
    pins = tuple(make_status(name=f"pin-{n}", ref="<" * 300) for n in range(30))

    body = render_slack(made(*many, limit=1000, statuses=pins))

    limits = {"header": 150, "section": 3000, "context": 2000}
    assert len(json.loads(json.dumps(body))["blocks"]) <= 50
    assert all(0 < len(text) <= limits[kind] for kind, text in slack_texts(body))
    assert "more on the list" in slack_texts(body)[-2][1]


def test_slack_pings_nobody_and_hides_no_link(hostile: Digest) -> None:
    body = render_slack(hostile)

    for kind, text in [*slack_texts(body), ("text", str(body["text"]))]:
        inside = re.findall(r"<([^>]*)>", text)
        assert kind != "header" or not inside
        assert all(one.startswith("https://watcher.example.org/") for one in inside)
        assert not re.search(r"@(here|channel|everyone)", text)


def test_feishu_keeps_within_its_bytes_and_reads_no_tag_of_strangers(hostile: Digest) -> None:
    many = [make_item(number, title="输出乱码" * 40) for number in range(1, 200)]

    body = render_feishu(made(*many, limit=1000))
    harmless = json.dumps(render_feishu(hostile))

    assert len(json.dumps(body, ensure_ascii=False).encode()) <= BODY_LIMIT
    assert "more on the list" in json.dumps(body)
    assert '"tag": "plain_text"' in harmless
    assert "lark_md" not in harmless
    assert "markdown" not in harmless


def test_text_has_no_control_characters_and_narrow_lines(hostile: Digest) -> None:
    text = render_text(hostile)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert all(len(line) <= 78 or " " not in line.strip() for line in text.splitlines())


def test_json_holds_items_by_the_contract(hostile: Digest) -> None:
    document = json.loads(json.dumps(digest_json(hostile)))

    assert document["schema"] == "watcher/1"
    assert document["entries"][0]["item"]["id"] == "verl#1"


def test_the_headline_counts_by_news_and_names_what_else_there_is() -> None:
    items = [make_item(1), make_item(2), make_item(3, tier=Tier.POSSIBLE)]

    digest = made(*items, tier=Tier.POSSIBLE, limit=2, given_up={"slack:2026-05-03": "HTTP 404"})

    assert headline(digest) == "2 new (2 likely), 1 more, message not delivered"


def test_a_quiet_digest_says_so_in_every_medium() -> None:
    digest = compose_quiet(make_scene())

    assert "all quiet" in subject(digest)
    assert "Nothing new" in render_text(digest)
    assert "all quiet" in json.dumps(render_slack(digest))
    assert "all quiet" in json.dumps(render_feishu(digest))
    assert "Nothing new" in TEMPLATES.mail_html(digest)


def test_an_entry_tells_rebuilds_remedies_and_its_family() -> None:
    rebuild = Route(kind=RouteKind.UPGRADE, detail="move to v2", rebuild=True)
    family = tuple(f"verl#{number}" for number in range(1, 10))
    digest = made(
        make_item(1, family=family, routes=(rebuild,)),
        make_item(20, routes=(), extra=(("remedy", "set use_orig_params=False"),)),
        make_item(30, routes=(), evidence=(), extra=(("family_state", "you have 1 of 3"),)),
        tier=Tier.LIKELY,
        limit=3,
    )

    text = " ".join(render_text(digest).split())

    assert "move to v2 (needs a rebuild)" in text
    assert "verl#7 and 2 more" in text
    assert "Get it: set use_orig_params=False" in text
    assert "Same bug: you have 1 of 3" in text


def test_sections_and_what_is_left_out_are_told_in_every_medium() -> None:
    before = make_item(1)
    items = [replace(before, first_release="v2"), *(make_item(n) for n in range(2, 9))]

    digest = compose(make_scene(*items, limit=8), remember(make_scene(before), None))
    short = compose(make_scene(*items, limit=4), remember(make_scene(before), None))

    assert digest is not None
    assert short is not None
    webhooks = (json.dumps(render(digest)) for render in (render_slack, render_feishu))
    for body in (render_text(digest), *webhooks):
        assert "now released" in body.lower()
    assert "4 more on the list." in render_text(short)
    assert "4 more on the list." in json.dumps(render_slack(short))
    assert "4 more on the list." in TEMPLATES.mail_html(short)


def test_a_pin_that_is_not_known_is_told_without_numbers() -> None:
    digest = made(make_item(), statuses=(make_status(behind=None, synced_at=None),))

    assert "verl at v1.0 (aaaaaaaaa)\n" in render_text(digest)
