"""Runs of orchestrators."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast

import httpx

from .._runtime_async import sleep
from ..error_reply import api_error_of_body
from ..errors import WorkFailedError
from ..schemas import Run
from ..server_sent_events import EventParser, ServerSentEvent
from .client import AsyncClient
from .transport import with_retries

_ENDED = ("COMPLETED", "ERROR", "CANCELLED")
#: Longer than the interval of the platform's heartbeats.
_STALL_S = 60.0
_RETRIES = 8
#: Delay before reconnecting when a connection ended without an event.
_SILENCE_S = 1.0


async def watch_run(client: AsyncClient, id: str, *, namespace: str | None = None) -> AsyncGenerator[Run, None]:
    """The states of a run: the current one, and one per change until it ends. Reconnects when the connection breaks.

    States omit the parameters of steps, which do not change.
    """
    url = client.datasourcesvc.runs.get.url(id=id, nsfilter=namespace)
    last: str | None = None
    while True:
        response = await _open(client, url, last)
        is_silent = True
        async with aclosing(_events_of(response)) as events:
            async for event in events:
                is_silent = False
                if event.event == "error":
                    raise api_error_of_body(event.data)
                last = event.id
                run = cast(Run, json.loads(event.data))
                yield run
                if run["_status"] in _ENDED:
                    return
        if response.status_code == 204:
            return
        if is_silent:
            await sleep(_SILENCE_S)


async def _open(client: AsyncClient, url: str, last: str | None) -> httpx.Response:
    headers = {"Accept": "text/event-stream", **({} if last is None else {"Last-Event-ID": last})}
    return await with_retries(lambda: client.open(url, headers=headers, timeout=_STALL_S, retries=0), retries=_RETRIES)


async def _events_of(response: httpx.Response) -> AsyncGenerator[ServerSentEvent, None]:
    """The events of one connection. Its end is not an error: the next one continues."""
    parser = EventParser()
    try:
        async for line in response.aiter_lines():
            event = parser.feed(line)
            if event:
                yield event
    except httpx.RequestError:
        pass
    finally:
        await response.aclose()


async def wait_for_run(
    client: AsyncClient,
    id: str,
    *,
    namespace: str | None = None,
    on_progress: Callable[[Run], object] | None = None,
) -> Run:
    """Waits until a run has ended, and returns it with its result. Raises WorkFailedError unless it has completed."""
    async for state in watch_run(client, id, namespace=namespace):
        if on_progress:
            on_progress(state)
    [run] = cast("list[Run]", await client.datasourcesvc.runs.get(id=id, nsfilter=namespace))
    if run["_status"] == "COMPLETED":
        return run
    raise WorkFailedError(run.get("_statusmsg") or f"The run has ended as {run['_status']}.", run)
