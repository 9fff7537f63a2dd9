"""What pages cost: with 10,000 findings under 8 pins, and on the synced projects."""

from __future__ import annotations

import json

from tests.benchmarks.bench import Bench
from tests.benchmarks.measure import table, told_by


def pages(bench: Bench) -> None:
    """Print the pages of a large board, then those of each subject."""
    head = ("page", "median", "worst", "CPU, median")
    rows = json.loads(told_by("page_visits", "--large", "5" if bench.quick else "40"))
    table("Pages with 10,000 findings under 8 pins", [head, *rows])
    for one in bench.synced():
        told = one.project.directory / "pages.json"
        cost = one.project.module("page_visits", str(one.project.directory), stdout=told)
        rows = json.loads(told.read_text(encoding="utf-8"))
        title = f"Pages: {one.title}; peak memory {cost.peak}"
        table(title, [("page", "clock", "CPU"), *rows])


def readers(bench: Bench) -> None:
    """Print answers by status and the times of each page with many readers while syncs run."""
    count, seconds = (20, 4) if bench.quick else (100, 30)
    told = json.loads(told_by("readers", str(count), str(seconds)))
    head = ("page", "times", "median", "worst")
    title = f"{count} readers for {seconds} s while syncs run; answers: {told['statuses']}"
    table(title, [head, *told["rows"]])


def requests(bench: Bench) -> None:
    """Print how often GitHub is asked. Raises SystemExit when it is more than allowed."""
    told = json.loads(told_by("github_requests", *(["verl"] if bench.quick else [])))
    table(f"Requests to GitHub ({told['sizes']})", told["rows"])
    if told["is_over"]:
        raise SystemExit("more requests than allowed")
