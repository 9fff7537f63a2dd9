"""Forms as they arrive: bounded, and from our own pages only."""

from __future__ import annotations

from msgspec import Struct
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from watcher.web.guard import LARGEST_LOG
from watcher.web.site import Site

_FIELDS = 40


class Form(Struct, frozen=True):
    """The text fields and files of a form, decoded."""

    fields: dict[str, str]

    def text(self, name: str, limit: int) -> str:
        """A field, at most ``limit`` characters; empty when it is not there."""
        return self.fields.get(name, "")[:limit]


async def read_form(site: Site, request: Request) -> Form:
    """A form that was made here for this reader. Raises HTTPException."""
    try:
        async with request.form(
            max_files=1, max_fields=_FIELDS, max_part_size=LARGEST_LOG
        ) as given:
            fields = {name: await _decoded(value) for name, value in _pairs(given)}
    except ClientDisconnect as error:
        raise HTTPException(413, "a log may have 5 MB") from error
    form = Form(fields)
    if not site.access.is_own_form(request, form.text("form_token", 200)):
        raise HTTPException(403, "this form is not from here, or too old: load the page anew")
    return form


def _pairs(given: FormData) -> list[tuple[str, str | UploadFile]]:
    return list(given.multi_items())


async def _decoded(value: str | UploadFile) -> str:
    if isinstance(value, str):
        return value
    return (await value.read(LARGEST_LOG)).decode("utf-8", "replace")
