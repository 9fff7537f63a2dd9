"""What ties one change to others. Pure records."""

from __future__ import annotations

from msgspec import Struct


class Links(Struct, frozen=True, kw_only=True):
    """What ties one change to others, computed over all changes of the upstream; shas unless said
    otherwise.
    """

    sha: str
    reverts: tuple[str, ...] = ()
    """Changes that this one takes back (resolved)."""
    withdrawn_by: str | None = None
    """The standing change that reverts this one: last event in git order decides."""
    relanded_as: str | None = None
    equivalents: tuple[str, ...] = ()
    """The same change on other branches: by trailer, number, title or stable patch-id."""
    equivalence: str | None = None
    """How the first equivalent was recognised, as a sentence fragment (``same stable patch-id``).
    """
    first_release: str | None = None
    """First tag, in the field's order, that holds this change or an equivalent."""
    follow_ups: tuple[str, ...] = ()
    """Later changes that say they complete this one."""
    family: tuple[str, ...] = ()
    """All members of its family in order of landing, itself included; empty when alone."""
    related: tuple[str, ...] = ()
    """Loosely related changes: listed, never counted."""
    named_origins: tuple[str, ...] = ()
    """Changes that the author says brought the fault."""
    named_origin_quote: str = ""
