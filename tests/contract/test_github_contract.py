"""Queries, the fake's schema and the fake's answers, held against GitHub's own descriptions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
    parse,
    validate,
)
from openapi_schema_validator import OAS30Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.contract.github_schemas import graphql_schema, openapi
from tests.fake_github import FakeGitHub, Request, subset
from tests.fake_github_records import Repository
from tests.github_stories import UPSTREAM, open_store_at, session_with, sync
from watcher.adapters.github import queries

pytestmark = pytest.mark.contract

DOCUMENTS = {
    "pull requests": queries.pull_requests([1, 6463]),
    "named": queries.named([5995, 6463]),
    "active issues": queries.ACTIVE_ISSUES,
    "first issues": queries.first_issues(with_label=False),
    "first issues of a label": queries.first_issues(with_label=True),
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_query_is_valid_by_githubs_schema(document: str):
    assert validate(graphql_schema(), parse(document)) == []


def test_the_fakes_schema_is_a_part_of_githubs():
    real, ours = graphql_schema().type_map, subset().type_map
    strange: list[str] = []

    for name, mine in ours.items():
        theirs = real.get(name)
        if name.startswith("__"):
            continue
        if theirs is None or type(theirs) is not type(mine):
            strange.append(name)
        elif isinstance(mine, GraphQLEnumType):
            strange += [f"{name}.{one}" for one in mine.values if one not in theirs.values]
        elif isinstance(mine, GraphQLUnionType):
            known = {one.name for one in theirs.types}
            strange += [f"{name}|{one.name}" for one in mine.types if one.name not in known]
        elif isinstance(mine, GraphQLInputObjectType):
            strange += odd_members(name, mine.fields, theirs.fields)
        elif isinstance(mine, GraphQLObjectType | GraphQLInterfaceType):
            strange += odd_members(name, mine.fields, theirs.fields)
            for field, told in mine.fields.items():
                if field in theirs.fields:
                    strange += odd_members(f"{name}.{field}", told.args, theirs.fields[field].args)

    assert strange == []


def odd_members(owner: str, mine: dict, theirs: dict) -> list[str]:
    return [
        f"{owner}.{name}: {told.type}"
        for name, told in mine.items()
        if name not in theirs or str(theirs[name].type) != str(told.type)
    ]


def tell(github: FakeGitHub) -> Repository:
    repository = github.repository(UPSTREAM)
    for number in range(1, 9):
        repository.open_issue(number, f"[Bug] {number}", labels=["bug"])
    repository.add_pull(20, closes=[1], labels=["fsdp"], remarks=[("a.py", "same here", False)])
    repository.add_pull(21, state="OPEN")
    repository.connect(2, 21)
    repository.disconnect(2, 21)
    repository.close(3, by="github-actions[bot]", reason="NOT_PLANNED")
    repository.mark_duplicate(4, 5)
    repository.reopen(3)
    return repository


def test_a_sync_through_githubs_schema_gives_what_the_fakes_schema_gives(tmp_path: Path):
    outcomes = []
    for schema in (None, graphql_schema()):
        github = FakeGitHub(schema)
        tell(github)
        store = open_store_at(tmp_path / f"{len(outcomes)}.db")
        result = sync(store, session_with(github), [20, 21], [6])
        assert result.problem is None
        outcomes.append((store.issues(UPSTREAM), store.words(UPSTREAM)))
        store.close()

    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0][0]) == 8


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        (f"/repos/{UPSTREAM}/issues?state=all", "/repos/{owner}/{repo}/issues"),
        (f"/repos/{UPSTREAM}/issues/1", "/repos/{owner}/{repo}/issues/{issue_number}"),
    ],
)
def test_the_fakes_rest_answers_obey_githubs_description(path: str, operation: str):
    github = FakeGitHub()
    tell(github)
    described = openapi()["paths"][operation]["get"]["responses"]["200"]
    schema = described["content"]["application/json"]["schema"]
    resource = Resource.from_contents(openapi(), default_specification=DRAFT202012)
    registry = Registry().with_resource("urn:github", resource)
    absolute = json.loads(json.dumps(schema).replace('"#/', '"urn:github#/'))

    answer = github.answer(Request("GET", path, {}))

    validator = OAS30Validator(absolute, registry=registry)
    errors = [
        f"{list(error.absolute_path)}: {error.message[:200]}"
        for error in validator.iter_errors(json.loads(answer.body))
    ]
    assert errors == []
