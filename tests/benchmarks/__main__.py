"""Prints what watcher costs beside yardsticks measured in the same run, as tables in Markdown.

    python -m tests.benchmarks                       all sections, on made-up upstreams of the
                                                     sizes of verl, vLLM and PyTorch
    python -m tests.benchmarks sync check --size verl
    python -m tests.benchmarks --upstream verl-project/verl=file:///MIRROR@v0.7.0
    python -m tests.benchmarks growth --growth vllm-project/vllm=file:///MIRROR

Processor times are the fairer numbers on a machine that does other things too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.benchmarks import asking, growth, pages, presence, sync
from tests.benchmarks.bench import Bench, quick_shapes
from tests.benchmarks.machine import describe
from tests.benchmarks.measure import compile_package, scratch_directory, table
from tests.benchmarks.project import Upstream
from tests.benchmarks.shapes import SHAPES

SECTIONS: Final[Mapping[str, Callable[[Bench], None]]] = {
    "sync": sync.sync,
    "check": asking.check,
    "log": asking.log,
    "list": asking.list_,
    "presence": presence.presence,
    "pages": pages.pages,
    "delta": sync.delta,  # after those that ask: it moves the upstreams on
    "growth": growth.growth,
    "readers": pages.readers,
    "requests": pages.requests,
}


def main() -> None:
    """Measure and print."""
    options = parser().parse_args()
    table("The machine", [("what", "is"), *describe()])
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        run(options, options.keep.resolve())
        return
    with scratch_directory() as scratch:
        run(options, scratch)


def parser() -> argparse.ArgumentParser:
    """The options of the one command."""
    made = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    made.add_argument("--size", action="append", choices=list(SHAPES), help="default: all")
    made.add_argument("--upstream", metavar="OWNER/NAME=URL@REF", help="a real range instead")
    made.add_argument("--growth", metavar="OWNER/NAME=URL", help="a real upstream to grow on")
    made.add_argument("--quick", action="store_true", help="300 changes, a minute or two")
    made.add_argument("--keep", type=Path, metavar="FOLDER", help="keep made upstreams there")
    return made


def run(options: argparse.Namespace, scratch: Path) -> None:
    """Run the wanted sections, in the order of the table above."""
    wanted = options.sections or list(SECTIONS)
    if unknown := [name for name in wanted if name not in SECTIONS]:
        raise SystemExit(f"no section {unknown[0]}; there are: {', '.join(SECTIONS)}")
    shapes = [SHAPES[key] for key in options.size or (["verl"] if options.quick else SHAPES)]
    compile_package()
    bench = Bench(
        scratch=scratch,
        shapes=quick_shapes(shapes) if options.quick else shapes,
        quick=options.quick,
        real=_range(options.upstream),
        real_growth=upstream_of(options.growth) if options.growth else None,
    )
    for name, section in SECTIONS.items():
        if name in wanted:
            section(bench)


def _range(text: str | None) -> tuple[Upstream, str] | None:
    if text is None:
        return None
    address, at, ref = text.rpartition("@")
    if not at:
        raise SystemExit("--upstream OWNER/NAME=URL@REF: the ref is missing")
    return upstream_of(address), ref


def upstream_of(text: str) -> Upstream:
    """``OWNER/NAME=URL``; the URL is that of a repository on this machine."""
    name, equals, url = text.partition("=")
    if not equals or not url.startswith("file://"):
        raise SystemExit(f"{text}: want OWNER/NAME=file:///PATH")
    return Upstream(name, url)


if __name__ == "__main__":
    main()
