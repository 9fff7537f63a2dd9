"""Whatever comes in, a parser returns or refuses in one line, within its time and memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.budget import budget
from tests.fuzz.seeds import FRAGMENTS, SEEDS, deep
from tests.fuzz.targets import TARGETS

SECONDS = 2.0
"""Processor time of one small input: a hundred times what it takes."""
QUICK = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
LONG = settings(QUICK, max_examples=1_500, derandomize=False)
LARGE = 4_000_000
MEMORY = """
import resource, sys
from tests.fuzz.targets import TARGETS
target, unit, size = TARGETS[sys.argv[1]], bytes.fromhex(sys.argv[2]), int(sys.argv[3])
target(unit)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
target(unit * (size // len(unit)))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@st.composite
def spoiled(draw: st.DrawFn, name: str) -> bytes:
    """A valid input with parts cut out, doubled, or replaced by fragments; or nothing but those."""
    data = bytearray(draw(st.sampled_from([*SEEDS[name], b""])))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 8, 60])))
        part = draw(
            st.one_of(
                st.sampled_from(FRAGMENTS),
                st.binary(max_size=12),
                st.just(bytes(data[start:end]) * 3),
            )
        )
        data[start:end] = part * draw(st.sampled_from([1, 1, 1, 2, 300]))
    return bytes(data[:20_000])


@pytest.mark.parametrize("name", TARGETS)
def test_spoiled_input_is_read_or_refused(name: str) -> None:
    @QUICK
    @given(spoiled(name))
    def attempt(data: bytes) -> None:
        with budget(SECONDS, f"{data!r}"):
            TARGETS[name](data)

    attempt()


@pytest.mark.parametrize("name", TARGETS)
def test_deep_and_long_input_is_read_or_refused(name: str) -> None:
    for data in deep(1_200):
        with budget(SECONDS, f"{name} {data[:40]!r}"):
            TARGETS[name](data)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_deeper_and_longer_input_is_read_or_refused(name: str) -> None:
    for data in deep(20_000):
        with budget(10 * SECONDS, f"{name} {data[:40]!r}"):
            TARGETS[name](data)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_much_spoiled_input_is_read_or_refused(name: str) -> None:
    @LONG
    @given(st.one_of(spoiled(name), st.binary(max_size=400)))
    def attempt(data: bytes) -> None:
        with budget(SECONDS, f"{data!r}"):
            TARGETS[name](data)

    attempt()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["log", "diff", "message", "shown_markup", "usage_file", "pin_file"]
)
def test_memory_stays_within_a_multiple_of_the_input(name: str) -> None:
    unit = SEEDS[name][0]
    command = [sys.executable, "-c", MEMORY, name, unit.hex(), str(LARGE)]

    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )

    assert int(done.stdout) * 1024 < 40 * LARGE
