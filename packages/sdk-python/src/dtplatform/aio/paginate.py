"""Lists."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, TypeVar, cast

from typing_extensions import ParamSpec

from ..types import Page
from .operation import Call

P = ParamSpec("P")
Entry = TypeVar("Entry")


async def paginate(operation: Call[P, Page[Entry]], *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[Entry, None]:
    """All entries of a list, page by page: `paginate(client.filesvc.files.list, _tags="plan")`.

    Entries created or deleted during the iteration may be missing or appear twice.
    """
    given = cast("dict[str, Any]", kwargs)
    offset = given.pop("_offset", None) or 0
    while True:
        page = await cast(Any, operation)(*args, **given, _offset=offset)
        for entry in page["_list"]:
            yield entry
        offset += len(page["_list"])
        if not page["_list"] or offset >= page["_total"]:
            return
