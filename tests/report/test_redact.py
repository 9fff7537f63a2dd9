"""Nothing private survives in a bug report, in whatever shape it comes."""

from __future__ import annotations

import string
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import awkward, robust
from watcher.report.redact import Private, Redactor, redact, secret_values

ALNUM = string.ascii_letters + string.digits
around = st.text(awkward, max_size=40)
separator = st.sampled_from(["", " ", "=", "'", '"', ":", "\n", "\t", "/", "，", "(", "\x1b[31m"])


def body(low: int, high: int, alphabet: str = ALNUM) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high)


def shape(prefix: str, text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return text.map(lambda one: prefix + one)


HEX = "0123456789abcdef"
TOKENS = st.one_of(
    *(shape(prefix, body(36, 36)) for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    shape("github_pat_", body(60, 82, ALNUM + "_")),
    shape("hf_", body(34, 37)),
    shape("sk-", body(20, 50).map(lambda one: "1" + one)),
    shape("sk-proj-1", body(30, 60)),
    shape("AKIA", body(16, 16, string.ascii_uppercase + string.digits)),
    shape("xoxb-", body(20, 40)),
    shape("glpat-", body(20, 20)),
    shape("AIza", body(35, 35)),
    shape("https://hooks.slack.com/services/T0/B0/", body(24, 24)),
    shape("https://open.feishu.cn/open-apis/bot/v2/hook/", body(32, 36, HEX + "-")),
    shape("eyJhbGciOiJI", body(10, 30)).flatmap(
        lambda head: body(20, 40).map(lambda tail: f"{head}.{tail}.{tail[::-1]}")
    ),
)


@robust
@given(before=around, left=separator, token=TOKENS, right=separator, after=around)
def test_no_token_survives(before: str, left: str, token: str, right: str, after: str) -> None:
    # A letter or digit that touches the token would make another word of it.
    text = f"{before} {left}{token}{right} {after}"

    assert token not in redact(text)


@robust
@given(before=around, user=shape("Qu", body(4, 20)), password=shape("Qp!", body(4, 30)))
def test_no_credentials_survive_in_an_address(before: str, user: str, password: str) -> None:
    cleaned = redact(f"{before} https://{user}:{password}@git.corp.lan/x.git")

    assert user not in cleaned
    assert "Qp!" not in cleaned
    assert "git.corp.lan" not in cleaned


@robust
@given(
    root=st.sampled_from(["/home/", "/Users/", "C:\\Users\\"]),
    name=body(3, 20, string.ascii_lowercase).map(lambda one: "q" + one),
    tail=st.sampled_from(["/x.py", "/", "", "\\x"]),
)
def test_no_home_path_survives(root: str, name: str, tail: str) -> None:
    assert root + name not in redact(f'File "{root}{name}{tail}", line 3')


@robust
@given(parts=st.lists(st.integers(0, 255), min_size=4, max_size=4), before=separator)
def test_no_address_survives(parts: list[int], before: str) -> None:
    address = ".".join(map(str, parts))
    cleaned = redact(f"x {before}{address}:29500 up")

    assert address not in cleaned or address in {"127.0.0.1", "0.0.0.0", "8.8.8.8"}


@robust
@given(secret=body(8, 40), before=around, after=around)
def test_a_secret_of_the_environment_never_survives(secret: str, before: str, after: str) -> None:
    private = Private(secrets=secret_values([("MY_API_KEY", secret)]))

    assert secret not in redact(f"{before}{secret}{after}", private)


@robust
@given(text=st.text(awkward, max_size=300))
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(redact(text), str)


PRIVATE = [
    "export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567",
    "wandb: logging in with 0123456789abcdef0123456789abcdef01234567",
    'os.environ["OPENAI_API_KEY"] = "my own key of words"',
    '{"password": "opensesame"}',
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "curl -H 'Authorization: Bearer abcdef-1234567890'",
    "vllm serve m --api-key letmeinplease",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nletmeinplease\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\nletmeinplease",
    "write to jane.doe@corp.example-inc.com",
    "jane@gpu-node-17:~/run$ python x.py",
    "gpu-node-17:796:822 [0] NCCL WARN Net : Connect failed",
    "(WorkerDict pid=7, ip=10.8.1.22) hello",
    "fe80::1ff:fe23:4567:890a is up",
    "MASTER_ADDR=gpu-node-17.cluster.local",
    "gh\x1b[0mp_abcdefghijklmnopqrstuvwxyz0123456789",
]
GONE = (
    "0123456789abcdef0123456789abcdef01234567", "my own key", "opensesame", "wJalr", "abcdef-123",
    "letmein", "jane", "gpu-node-17", "10.8.1.22", "4567:890a", "abcdefghijklmnopqrstuvwxyz",
)  # fmt: skip


@pytest.mark.parametrize("text", PRIVATE)
def test_private_things_go(text: str) -> None:
    cleaned = redact(text)

    assert cleaned != text
    assert not [one for one in GONE if one in cleaned]


KEPT = [
    "commit 1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b",
    "max_tokens=512 pad_token=<pad> eos_token_id=2 tokenizer: Qwen",
    "algorithm.token_level=1 data.prompt_key=prompt",
    "nvidia-cublas-cu12==12.4.5.8 torch 2.5.1 c10::cuda at::Tensor",
    "https://github.com/verl-project/verl and git@github.com:verl-project/verl",
    "listening on 127.0.0.1:29500, 12:34:56 elapsed",
    'File "/usr/lib/python3.12/asyncio/runners.py", line 190, in run',
    "ValueError: sk-learn is not installed",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_upstream_needs_stays(text: str) -> None:
    assert redact(text) == text


def test_one_machine_keeps_one_name_over_all_texts() -> None:
    redactor = Redactor()

    first = redactor.redact("ip=10.0.0.1 and ip=10.0.0.2")
    second = redactor.redact("ip=10.0.0.2")

    assert (first, second) == ("ip=<ip-1> and ip=<ip-2>", "ip=<ip-2>")
    assert redactor.counts["ip"] == 3


def test_the_users_own_names_go() -> None:
    private = Private(users=("alice",), hosts=("box7",), homes=("/mnt/nas/alice",))

    cleaned = redact("/mnt/nas/alice/x on box7 by alice; alicexy stays", private)

    assert cleaned == "~/x on <host-1> by <user-1>; alicexy stays"


JUNK = ["a.b-", "token=", "eyJa", "1.2.3.", "sk-a1", "/home/", "a@", "1:"]


@pytest.mark.parametrize("junk", JUNK)
def test_hostile_text_takes_linear_time(junk: str) -> None:
    started = perf_counter()

    redact(junk * 8_000)

    # Seconds at the most; a pattern that is quadratic takes minutes here.
    assert perf_counter() - started < 20
