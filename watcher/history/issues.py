"""Issues as GitHub tells them + a profile -> bug reports with the facts of their bodies.

Pure.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from watcher.facts.issue import Issue
from watcher.history.issue_body import headings, prose, read_body
from watcher.upstreams.profile import FacetRule, IssueRules, Profile

_FORM_SECTIONS: Final = 2
"""Headings of the bug form that make an unlabelled issue a bug report."""
_FACET_TEXT: Final = 4000


def is_bug_report(issue: Issue, rules: IssueRules) -> bool:
    """True for an issue that reports a bug: by label, title, the form's headings, or a traceback.

    A label or title prefix of the profile decides alone; without one the body must look like a
    report, because people who skip the form get no label.
    """
    wanted = {label.casefold() for label in rules.labels}
    if any(label.casefold() in wanted for label in issue.labels):
        return True
    title = issue.title.casefold()
    if any(title.startswith(prefix.casefold()) for prefix in rules.title_prefixes):
        return True
    body = issue.raw_body
    forms = {heading.strip().strip("#").strip().casefold() for heading in rules.form_headings}
    if len(forms & headings(body)) >= min(_FORM_SECTIONS, len(forms) or _FORM_SECTIONS):
        return True
    facts = read_body(body)
    return bool(facts.errors and facts.frames)


def read_issue(issue: Issue, profile: Profile) -> Issue:
    """The issue with what its body says: errors, frames, settings, versions, facets, prose."""
    rules = profile.issues
    facts = read_body(issue.raw_body)
    told = "\n".join((issue.title, *issue.labels, *facts.errors, *facts.settings))[:_FACET_TEXT]
    return replace(
        issue,
        body=prose(issue.raw_body, rules.form_headings),
        errors=facts.errors,
        frames=facts.frames,
        config=facts.settings,
        versions=facts.versions,
        facets=tuple(rule.name for rule in profile.facets if _has_facet(rule, told)),
        closed_by_bot=issue.closed_by_bot or _is_stale(issue, rules),
    )


def _has_facet(rule: FacetRule, told: str) -> bool:
    return rule.words.search(told) is not None


def _is_stale(issue: Issue, rules: IssueRules) -> bool:
    """True when one of the upstream's bots closed it, or it wears the bot's label when closed."""
    if issue.closed_at is None:
        return False
    bots = {bot.casefold().removesuffix("[bot]") for bot in rules.bots}
    stale = {label.casefold() for label in rules.stale_labels}
    return issue.closed_by.casefold().removesuffix("[bot]") in bots or any(
        label.casefold() in stale for label in issue.labels
    )
