"""Requirement files, freezes and conda environments name what they pin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import awkward, robust
from watcher.facts.usage import Source
from watcher.pins.records import CheckoutAt, Found, NotFound
from watcher.pins.requirements import included_files, parse_requirements, read_requirement

SHA = "1234567890123456789012345678901234567890"
HERE = Source("requirements.txt", 1)


@pytest.mark.parametrize(
    ("line", "dist", "ref", "upstream"),
    [
        ("verl @ git+https://github.com/me/verl.git@v0.4.1", "verl", "v0.4.1", "me/verl"),
        (f"-e git+ssh://git@github.com/me/vllm@{SHA}#egg=vllm", "vllm", SHA, "me/vllm"),
        (f"git+https://github.com/me/vllm@{SHA}#subdirectory=x&egg=vllm", "vllm", SHA, "me/vllm"),
        ('vllm[audio]==0.8.5 ; python_version > "3.9"', "vllm", "0.8.5", None),
        ("torch == 2.6.0+cu124 --hash=sha256:aa", "torch", "2.6.0", None),
        ("Megatron_Core===0.12.0", "megatron-core", "0.12.0", None),
        (f"https://wheels.vllm.ai/{SHA}/vllm-1.0.0.dev-cp38-abi3-any.whl", "vllm", SHA, None),
        (f"--extra-index-url https://wheels.vllm.ai/{SHA}", "vllm", SHA, None),
        ("vllm @ https://x.org/vllm-0.8.5%2Bg1a2b3c4-cp38-abi3-any.whl", "vllm", "1a2b3c4", None),
    ],
)  # fmt: skip
def test_a_requirement_names_its_commit_or_release(
    line: str, dist: str, ref: str, upstream: str | None
) -> None:
    reading = read_requirement(line, HERE)

    assert isinstance(reading, Found)
    assert (reading.dist, reading.ref, reading.upstream) == (dist, ref, upstream)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("torch>=2.4,<3", "is a range"),
        ("vllm", "no version is given"),
        ("verl @ git+https://github.com/volcengine/verl.git", "default branch"),
        ("verl @ git+https://github.com/volcengine/verl.git@main", '"main" is a branch'),
        ("vllm==0.9.0.dev0", "development build"),
        ("vllm @ https://x.org/vllm.tar.gz", "names no commit"),
    ],
)
def test_what_names_no_commit_is_kept_with_its_reason(line: str, reason: str) -> None:
    reading = read_requirement(line, HERE)

    assert isinstance(reading, NotFound)
    assert reason in reading.reason
    assert reading.mend


def test_a_credential_in_an_address_is_never_told() -> None:
    reading = read_requirement("git+https://me:hunter2@github.com/a/verl@main", HERE)

    assert "hunter2" not in repr(reading)


@pytest.mark.parametrize(
    "line", ["./third_party/verl", "-e ../verl[gpu]", "-e .", "file:///srv/verl"]
)
def test_a_local_path_is_a_checkout_to_look_into(line: str) -> None:
    assert isinstance(read_requirement(line, HERE), CheckoutAt)


def test_continued_and_commented_lines_are_read_with_their_numbers() -> None:
    text = "# verl==0.1\nvllm==0.8.5 \\\n  --hash=a:aa \\\n  --hash=a:bb\n\ntorch==2.6.0  # x\n"

    readings = parse_requirements(text, "r.txt")

    assert [(one.dist, one.where.line) for one in readings] == [("vllm", 2), ("torch", 6)]


def test_a_conda_environment_names_exact_builds_and_pip_lines() -> None:
    text = "dependencies:\n  - torch=2.6.0=py311_cu124\n  - vllm=0.8\n  - pip:\n    - verl==0.4.1\n"

    torch, vllm, _, verl = parse_requirements(text, "environment.yml")

    assert isinstance(torch, Found)
    assert isinstance(vllm, NotFound)
    assert isinstance(verl, Found)


def test_included_files_are_named() -> None:
    assert included_files("-r base.txt\n--constraint=c.txt\nvllm\n") == ["base.txt", "c.txt"]


@robust
@given(
    st.text(awkward, max_size=80),
    st.sampled_from(["", "verl @ git+https://", "-e ", "v==", "https://"]),
)
def test_no_text_breaks_the_parser(text: str, start: str) -> None:
    for path in ("requirements.txt", "environment.yml"):
        parse_requirements(f"{start}{text}", path)


@pytest.mark.parametrize(
    "line",
    ["a" * 4000 + "))", "a" + " " * 3990 + "b", "a[" * 2000, "a==" + "1." * 2000],
)
def test_long_lines_are_read_in_linear_time(line: str) -> None:
    from time import process_time

    started = process_time()
    parse_requirements(f"{line}\n" * 200, "requirements.txt")

    assert process_time() - started < 1.5
