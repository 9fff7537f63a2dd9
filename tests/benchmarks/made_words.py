"""The words of a made-up upstream: source lines, titles, descriptions, whole messages.

Pure, and the same for the same dice. Words come by Zipf's law from some ten thousand, as they do
in real repositories: a few stand everywhere, most in a handful of places.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import accumulate, product
from typing import Final

from tests.benchmarks.shapes import Shape

_NOUN_TEXT: Final = """
actor critic rollout worker buffer shard gradient reward mask tensor mesh group rank stream cache
block page token prompt sample batch loader state optimizer scaler graph node kernel launch device
stage expert router adapter layer norm bias weight scale dtype layout stride offset index handle
future event queue store socket plugin backend engine request response config schema option flag
field registry hook guard frame symbol trace proxy view storage
"""
_VERB_TEXT: Final = """
gather scatter offload reload clip split merge flush route reduce broadcast pin unpin swap wrap
unwrap cast pack unpack resolve register dispatch capture replay lower fuse trace sync shard
reshard init load save dump build check apply update reset release
"""
_PLAIN_TEXT: Final = """
the a when with of in and for is after not to by on that this was before from under it be each
into without both only still now if as are we can so but has its which one all more used uses
using support change make call called path case value time number part way new test tests run
code set type model input output default current instead because already
"""
_TROUBLE_TEXT: Final = """
hang hangs crash deadlock leak overflow mismatch garbled slow error fails wrong missing stale
"""
_NOUNS, _VERBS, _PLAIN, _TROUBLES = map(
    str.split, (_NOUN_TEXT, _VERB_TEXT, _PLAIN_TEXT, _TROUBLE_TEXT)
)
_POOL_LINES: Final = 60_000
_POOL_LINES_A_FILE: Final = 40
OWN: Final = "@@"
"""Stands for what is a file's own in the lines of a pool."""


_Line = Callable[[int, Sequence[str], random.Random], str]


class Words:
    """Draws words, lines and messages for one upstream."""

    def __init__(self, shape: Shape, dice: random.Random) -> None:
        self.shape = shape
        self.dice = dice
        pairs = [f"{verb}_{noun}" for verb, noun in product(_VERBS, _NOUNS)]
        dice.shuffle(pairs)
        self._names = [*_NOUNS, *pairs, *(f"{one}_{dice.randrange(900)}" for one in pairs)]
        self._weights = list(accumulate(1 / (rank + 8) for rank in range(len(self._names))))
        self._size = min(_POOL_LINES, _POOL_LINES_A_FILE * shape.files)
        self._python = self._pool(_python_line)
        self._cpp = self._pool(_cpp_line)
        self._text = [f"{self.prose(11)}." for _ in range(self._size // 10)]

    def names(self, count: int) -> list[str]:
        """So many identifiers."""
        return self.dice.choices(self._names, cum_weights=self._weights, k=count)

    def prose(self, count: int) -> str:
        """So many words of a description, some of them identifiers."""
        words = self.dice.choices(_PLAIN, k=count)
        words[::3] = self.names(len(words[::3]))
        if self.dice.random() < 0.1:
            words[-1] = self.dice.choice(_TROUBLES)
        return " ".join(words)

    def lines(self, path: str, count: int) -> list[str]:
        """So many lines of source, as they fit the kind of file; ``OWN`` stands in some."""
        pool = self._text
        if path.endswith(".py"):
            pool = self._python
        elif path.endswith((".cpp", ".h", ".cu")):
            pool = self._cpp
        found: list[str] = []
        while len(found) < count:
            start = self.dice.randrange(len(pool))
            found += pool[start : start + min(count - len(found), 40)]
        return found

    def title(self, kind: str) -> str:
        """A title without its number."""
        trouble = f"{self.dice.choice(_TROUBLES)} of " if kind == "fix" else ""
        words = trouble + self.prose(self.dice.randint(4, 9))
        modules = self.dice.sample(self.shape.modules, self.dice.choice((1, 1, 1, 2)))
        if self.shape.key == "verl":
            return f"[{', '.join(modules)}] {kind}: {words}"
        word = {"fix": "Fix ", "feat": "Add ", "refactor": "Refactor ", "chore": ""}[kind]
        return "".join(f"[{module}]" for module in modules) + f" {word}{words}"

    def body(self) -> str:
        """A description with an error message now and then."""
        paragraphs = [
            self._wrapped(self.dice.randint(12, 60)) for _ in range(self.dice.randint(1, 6))
        ]
        if self.dice.random() < 0.15:
            paragraphs.insert(1, f"```\nRuntimeError: {self.prose(7)}\n```")
        return "\n\n".join(paragraphs)

    def message(self, title: str, number: int, body: str, fixes: int | None) -> str:
        """The whole message of a commit as this upstream writes it."""
        closing = f"\n\nFixes #{fixes}" if fixes else ""
        if self.shape.key == "pytorch":
            return f"{title} (#{number})\n\n{body}{closing}\n{self._bot_trailers(number)}"
        if self.shape.key == "verl":
            return f"{title} (#{number})\n\n{_TEMPLATE.format(body=body + closing)}"
        author = self._person()
        signed = f"Signed-off-by: {author} <{author}@example.org>"
        return f"{title} (#{number})\n\n{body}{closing}\n\n{signed}\n"

    def revert(self, title: str, number: int, sha: str, own: int) -> str:
        """The message that takes a change back, by its bot or by hand."""
        quoted = f'Revert "{title} (#{number})"'
        if self.shape.key != "pytorch":
            return f"{quoted} (#{own})\n\nReverts {self.shape.name}#{number}\n"
        page = f"https://github.com/{self.shape.name}/pull/{number}"
        comment = f"([comment]({page}#issuecomment-{own * 37}))"
        return (
            f"{quoted}\n\nThis reverts commit {sha}.\n\nReverted {page} on behalf of "
            f"https://github.com/{self._person()} due to {self.prose(5)} {comment}\n"
        )

    def _bot_trailers(self, number: int) -> str:
        page = f"https://github.com/{self.shape.name}/pull/{number}"
        approved = f"Approved by: https://github.com/{self._person()}"
        if self.dice.random() < 0.4:  # a ghstack
            source = f"ghstack-source-id: {self.dice.getrandbits(160):040x}"
            below = "".join(f"\n* #{number - one}" for one in range(1, self.dice.randint(2, 5)))
            return (
                f"\nStack from [ghstack](https://github.com/ezyang/ghstack):\n* __->__ #{number}"
                f"{below}\n\n{source}\nPull Request resolved: {page}\n{approved}\n"
            )
        return f"\nPull Request resolved: {page}\n{approved}\n"

    def _person(self) -> str:
        return f"person{self.dice.randrange(600)}"

    def _wrapped(self, count: int) -> str:
        return "\n".join(self.prose(12) for _ in range(max(1, count // 12)))

    def _pool(self, line: _Line) -> list[str]:
        names = self.names(self._size * 4)
        return [
            line(number, names[number * 4 : number * 4 + 4], self.dice)
            for number in range(self._size)
        ]


def _python_line(number: int, names: Sequence[str], dice: random.Random) -> str:
    one, two, three, four = names
    if number % 14 == 0:
        return f"def {one}_{OWN}_{number}(self, {two}, {three}=None):"
    kind = number % 7
    if kind == 1:
        return f"    if {one} is None and {two}.{three} > {dice.randrange(99)}:"
    if kind == 2:
        return f'        raise ValueError(f"{one} of {{{two}}} {three} {four}")'
    if kind == 3:
        return f"    self.{one}_{OWN} = {two}({three}, {four}={dice.randrange(9)})"
    if kind == 4:
        return f"    # {one} {two} is {three} before {four}"
    return f'    {one} = {two}({three}, config["{four}"], {dice.randrange(999)})'


def _cpp_line(number: int, names: Sequence[str], dice: random.Random) -> str:
    one, two, three, four = names
    if number % 18 == 0:
        return f"static Tensor {one}_{OWN}_{number}(const Tensor& {two}, int64_t {three}) {{"
    if number % 18 == 17:
        return "}"
    if number % 5 == 0:
        return f'  TORCH_CHECK({one}.{two}() == {dice.randrange(99)}, "{three} {four}");'
    return f"  auto {one} = {two}->{three}({four}, {dice.randrange(999)});"


_TEMPLATE: Final = """\
### What does this PR do?

> Add **concise** overview of what this PR aims to achieve or accomplish. Reference related GitHub \
issues and PRs that help with the review.

{body}

### Checklist Before Starting

- [X] Search for similar PRs. Paste at least one query link here: ...
- [X] Format the PR title as `[{{modules}}] {{type}}: {{description}}` (the CI checks it)

### Test

> For changes that can not be tested by CI (e.g., algorithm implementation, new model support), \
validate by experiment(s) and show results like training curve plots, evaluation results, etc.

### Checklist Before Submitting

> [!IMPORTANT]
> Please check all the following items before requesting a review, otherwise the reviewer might \
deprioritize this PR for review.

- [X] Read the [Contribute Guide](https://github.com/verl-project/verl/blob/main/CONTRIBUTING.md).
- [ ] Add / Update [the documentation](https://github.com/verl-project/verl/tree/main/docs).
- [ ] Once your PR is ready for CI, send a message in the `ci-request` channel in the workspace.
"""
