"""Which ranges a version leaves, extras and hardware considered."""

from __future__ import annotations

import pytest

from watcher.pins.upstream_requirements import UpstreamRequirement
from watcher.pipeline.bindings import Setup, broken_ranges


def wants(package: str, specifier: str, extra: str | None = None) -> UpstreamRequirement:
    return UpstreamRequirement(
        package=package, specifier=specifier, extra=extra, path="setup.py", line=1
    )


def broken(
    version: str | None,
    *requirements: UpstreamRequirement,
    hardware: str | None = None,
    packages: frozenset[str] = frozenset(),
) -> list[str]:
    setup = Setup(packages=packages, hardware=hardware)
    found = broken_ranges(requirements, "torch", version, setup)
    return [one.specifier for one in found]


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.9.0", []), ("2.9.0+cu128", []), ("2.10.0", ["<=2.9"]), ("2.8.0rc1", []), (None, [])],
)
def test_a_version_outside_the_range_breaks_it(version: str | None, expected: list[str]) -> None:
    assert broken(version, wants("torch", "<=2.9"), wants("numpy", "<1")) == expected


def test_extras_are_alternatives() -> None:
    old, new = wants("torch", "==2.8.*", "legacy"), wants("torch", "==2.9.*", "fast")

    assert broken("2.9.0", old, new) == []
    assert set(broken("2.10.0", old, new)) == {"==2.8.*", "==2.9.*"}


def test_an_extra_for_another_package_binds_its_users_alone() -> None:
    extra = (wants("sglang", "==0.5", "sglang"), wants("torch", "==2.9.1", "sglang"))

    assert broken("2.10.0", *extra) == []
    assert broken("2.10.0", *extra, packages=frozenset({"sglang"})) == ["==2.9.1"]


@pytest.mark.parametrize("extra", ["test", "dev", "docs", "rocm", "requirements/npu", "cpu"])
def test_extras_of_tests_and_other_hardware_do_not_count(extra: str) -> None:
    assert broken("2.10.0", wants("torch", "==2.9", extra)) == []


def test_extras_of_the_own_hardware_count() -> None:
    assert broken("2.10.0", wants("torch", "==2.9", "cuda")) == ["==2.9"]
    assert broken("2.10.0", wants("torch", "==2.9", "npu"), hardware="npu") == ["==2.9"]
