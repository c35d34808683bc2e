"""What asynchronous clients do where synchronous ones block."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar, Union

from typing_extensions import ParamSpec

P = ParamSpec("P")
T = TypeVar("T")

#: A function that returns a token.
TokenSource = Callable[[], Union[str, Awaitable[str]]]

Lock = asyncio.Lock
sleep = asyncio.sleep


async def token_of(source: TokenSource) -> str:
    token = source()
    return await token if inspect.isawaitable(token) else token


async def run_blocking(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await asyncio.to_thread(work, *args, **kwargs)


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Waits for work that continues when the caller is cancelled."""
    return await asyncio.shield(asyncio.ensure_future(work))
