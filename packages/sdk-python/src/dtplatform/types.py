"""Types that synchronous and asynchronous clients share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx
from typing_extensions import TypedDict

Body = TypeVar("Body", covariant=True)
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Reply(Generic[Body]):
    """The whole response of an operation."""

    status: int
    headers: httpx.Headers
    body: Body


class Page(TypedDict, Generic[Entry]):
    """A page of a list."""

    _offset: int
    _total: int
    _list: list[Entry]


class CallOptions(TypedDict, total=False):
    """Options of all calls."""

    #: Seconds without progress after which an attempt fails.
    timeout: float | None
    #: Number of retries of calls that are safe to repeat.
    retries: int | None
    #: Repeated calls with the same key have no further effect. By default each call gets its own key.
    idempotency_key: str | None
    #: Further headers.
    headers: Mapping[str, str] | None
    #: Further query parameters.
    params: Mapping[str, Any] | None
