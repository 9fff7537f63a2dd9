"""A coding agent's own client lists and calls each tool over stdio."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests.builders import git_environment
from tests.stories import SilentProgress
from tests.web.conftest import hostile_project
from watcher.app import open_app
from watcher.demonstration import example
from watcher.mcp import NOTICE, build_server, quoted, shortened
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.pinned import NO_MOVES
from watcher.report.answer import answer_json
from watcher.web.contract import AnswerModel

VERSION = version("watcher")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example's configuration, synced."""
    directory = tmp_path_factory.mktemp("example")
    with example(git_environment(), directory) as app:
        app.sync(SilentProgress())
        yield directory / "project" / "watcher.toml"


def over_stdio(config: Path, talk: Callable[[Client], Awaitable[None]]) -> None:
    command = f"import sys; sys.argv[1:] = ['--config', {str(config)!r}, 'mcp']"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", f"{command}; from watcher.cli.main import main; main()"],
        env=git_environment(),
    )

    async def session() -> None:
        with anyio.fail_after(60):
            async with Client(server) as client:
                await talk(client)

    anyio.run(session)


def read(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    answer = json.loads(result.content[0].text)
    assert isinstance(answer, dict)
    return answer


def test_each_tool_is_listed_and_answers(config: Path) -> None:
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"check", "list", "show", "upgrade"}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        assert NOTICE in (client.instructions or "")
        assert (client.server_info.name, client.server_info.version) == ("watcher", VERSION)

        asked = {"words": "garbled output after cpu offload", "settings": ["actor.strategy=fsdp2"]}
        checked = read(await client.call_tool("check", asked))
        assert checked["items"][0]["id"] == "rltrain#17"
        assert checked["headline"].startswith("Likely rltrain#17")

        listed = read(await client.call_tool("list", {"tier": "likely"}))
        assert [item["id"] for item in listed["items"]] == ["rltrain#17"]

        shown = read(await client.call_tool("show", {"item": "rltrain#17"}))
        assert "synchronize()" in shown["report"]["patch"]["quoted_from_upstream"]
        assert shown["items"][0]["routes"]

        upgraded = read(await client.call_tool("upgrade", {"pin": "rltrain"}))
        assert "v1.2.0" in upgraded["headline"]

    over_stdio(config, talk)


def test_what_cannot_be_answered_is_one_line(config: Path) -> None:
    app = open_app(config, environment=git_environment())

    async def talk() -> None:
        async with Client(build_server(app)) as client:
            for tool, arguments in (
                ("show", {"item": "rltrain#999"}),
                ("check", {}),
                ("upgrade", {"pin": "nobody"}),
                ("list", {"limit": 0}),
                ("list", {"pin": "nobody"}),
            ):
                result = await client.call_tool(tool, arguments)
                assert result.is_error
                assert "Traceback" not in result.content[0].text

    anyio.run(talk)
    app.close()


def test_answers_keep_the_contract(config: Path) -> None:
    app = open_app(config, environment=git_environment())

    whole = answer_json(app.list(ListFilter(everything=True), moves=NO_MOVES))

    assert whole["items"]
    AnswerModel.model_validate(shortened(whole))
    app.close()


def test_hostile_text_arrives_as_a_quote(tmp_path: Path) -> None:
    project = hostile_project(tmp_path)

    async def talk() -> None:
        async with Client(build_server(project.app)) as client:
            shown = read(await client.call_tool("show", {"item": "engine#2"}))
            assert shown["notice"] == NOTICE
            assert set(shown["report"]["motivation"]) == {"quoted_from_upstream", "characters_cut"}
            assert "\u202e" not in json.dumps(shown, ensure_ascii=False)

    anyio.run(talk)
    project.close()


def test_a_long_quote_is_cut_and_says_so() -> None:
    assert quoted("a" * 10, 4) == {"quoted_from_upstream": "aaaa", "characters_cut": 6}
