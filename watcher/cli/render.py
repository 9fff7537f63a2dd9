"""Answers as text for a terminal. The first line of ``check`` is the answer.

Every piece of upstream text passes ``one_line``; styles are attached by position, never by markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from watcher.facts.item import Item, Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.escape import one_line
from watcher.report.headline import headline
from watcher.report.words import (
    PRESENCE_WORDS,
    age,
    ago,
    count,
    day,
    landed_phrase,
    renamed_phrase,
    short,
)

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

    from watcher.report.answer import Answer, PinStatus

TIER_STYLES: Final = {
    Tier.LIKELY: "bold red",
    Tier.POSSIBLE: "yellow",
    Tier.UNLIKELY: "dim",
    None: "dim",
}
_EVIDENCE_SHOWN: Final = 3


def print_pins(console: Console, answer: Answer) -> None:
    """One block a pin: what it is, how old, how far behind, what it already carries."""
    now = answer.generated_at
    for pin in answer.pins:
        head = Text(one_line(f"{pin.name}  {pin.upstream} at {pin.ref}"), style="bold")
        console.print(head)
        for line in pin_lines(pin, now):
            console.print(Text(f"  {line}"))


def pin_lines(pin: PinStatus, now: datetime) -> list[str]:
    """What there is to say about a pin, a line each."""
    renamed = (
        [one_line(renamed_phrase(pin.upstream, pin.renamed_to), 400)] if pin.renamed_to else []
    )
    if pin.reason is not None:
        return [one_line(f"not resolved: {pin.reason}", 400), *renamed]
    lines = [f"{short(pin.sha)}, {day(pin.committed_at)}, {age(pin.committed_at, now)} old"]
    if pin.branch is not None:
        lines[0] += f", on {one_line(pin.branch)}"
    if pin.carried:
        lines.append(f"{count(pin.carried, 'commit')} on top of {short(pin.fork_point)}")
    if pin.behind is not None:
        lines.append(
            f"{count(pin.behind, 'change')} behind, of these {count(pin.fixes_behind or 0, 'fix')}"
        )
    if pin.carried_fixes:
        lines.append("already has by backport: " + ", ".join(pin.carried_fixes))
    if pin.note:
        lines.append(one_line(pin.note, 400))
    lines += renamed
    lines.append(known_line(pin, now))
    return lines


def known_line(pin: PinStatus, now: datetime) -> str:
    """Up to when the upstream is known, and whether that is too old."""
    if pin.synced_at is None:
        return "never synced: run `watcher sync`"
    stale = "; STALE: run `watcher sync`" if pin.stale else ""
    return f"known up to {day(pin.known_until)}, synced {ago(pin.synced_at, now)}{stale}"


def print_items(console: Console, items: tuple[Item, ...], *, numbered: bool = True) -> None:
    """Items as a compact list: identity, title, presence, landing, the strongest reasons."""
    for rank, item in enumerate(items, 1):
        number = f"{rank:>3}. " if numbered else "  "
        console.print(item_head(item, number))
        for line in item_lines(item):
            console.print(Text(" " * len(number) + line, style="dim"))


def item_head(item: Item, prefix: str) -> Text:
    """First line of an item: tier, identity and title."""
    tier = "" if item.tier is None else item.tier.value
    head = Text(prefix)
    if tier:
        head.append(f"{tier:<9}", style=TIER_STYLES[item.tier])
    head.append(item.id, style="bold")
    head.append("  " + one_line(item.title, 120))
    return head


def item_lines(item: Item) -> list[str]:
    """The lines under an item's head."""
    if item.kind is Kind.ADVISORY:
        return advisory_lines(item)
    lines = [", ".join(part for part in (kind_phrase(item), landed_phrase(item)) if part)]
    if item.presence_detail:
        lines.append(one_line(item.presence_detail, 240))
    strongest = sorted(item.evidence, key=lambda one: -abs(one.weight))[:_EVIDENCE_SHOWN]
    lines += [one_line(f"{one.weight:+.1f} {one.detail}", 240) for one in strongest]
    if len(item.family) > 1:
        lines.append(family_line(item))
    decided = dict(item.extra).get("decision_note")
    if decided:
        lines.append(one_line(decided, 300))
    return lines


def advisory_lines(item: Item) -> list[str]:
    """What a local cause was recognised by, what to do, and who says so."""
    known = dict(item.extra)
    lines = [f"local cause, {known['confidence']}" if "confidence" in known else "local cause"]
    lines += [one_line(one.detail, 240) for one in item.evidence[:_EVIDENCE_SHOWN]]
    told = (("do", "remedy"), ("source", "source"), ("true for", "true_for"), ("note", "note"))
    lines += [one_line(f"{name}: {known[key]}", 400) for name, key in told if key in known]
    return lines


def kind_phrase(item: Item) -> str:
    """Kind and, for changes, the presence in few words."""
    if item.kind in {Kind.ISSUE, Kind.ADVISORY}:
        state = "" if item.state is None else f"{item.state.value} "
        return f"{state}{item.kind.value}"
    known = item.presence is not Presence.UNKNOWN
    return f"{item.kind.value}, {PRESENCE_WORDS[item.presence]}" if known else item.kind.value


def family_line(item: Item) -> str:
    """Which other changes mend the same bug."""
    return "one bug, several mends: " + ", ".join(one_line(member, 40) for member in item.family)


def print_collapsed(console: Console, answer: Answer) -> None:
    """How many items are not shown, by reason."""
    parts = [f"{number:,} {reason}" for reason, number in answer.collapsed if number]
    if parts:
        is_cut = {reason for reason, number in answer.collapsed if number} == {"beyond the limit"}
        how = "A higher `--limit` lists them." if is_cut else "`--all` lists everything."
        console.print(Text(f"Not shown: {', '.join(parts)}. {how}", style="dim"))


def print_searched(console: Console, answer: Answer) -> None:
    """What was searched and up to when it is known."""
    searched = f"Searched {count(answer.searched_changes, 'change')}"
    if answer.searched_issues:
        searched += f" and {count(answer.searched_issues, 'issue')}"
    console.print(Text(searched + ".", style="dim"))
    for pin in answer.pins:
        line = pin.reason or known_line(pin, answer.generated_at)
        console.print(Text(one_line(f"{pin.name}: {line}", 300), style="dim"))
    if answer.not_watched:
        names = ", ".join(one_line(name, 40) for name in answer.not_watched)
        console.print(Text(f"Named by your log and not watched: {names}.", style="yellow"))
    for note in answer.notes:
        console.print(Text(one_line(note, 300), style="yellow"))


def print_check(console: Console, answer: Answer) -> None:
    """An answer to a symptom. The first line is the answer."""
    console.print(Text(one_line(headline(answer), 400), style="bold"))
    if answer.items:
        console.print()
        print_items(console, answer.items)
    if answer.suspects:
        console.print()
        console.print(Text("Suspects: changes since it last worked", style="bold"))
        print_items(console, answer.suspects)
    console.print()
    print_searched(console, answer)
