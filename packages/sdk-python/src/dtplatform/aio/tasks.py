"""Work that continues after the response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .._runtime_async import sleep
from ..errors import WorkFailedError
from ..request import Request, url_within
from ..schemas import AsyncTask
from ..types import Reply
from .client import AsyncClient

_FIRST_POLL_S = 0.25
_LAST_POLL_S = 5.0


async def wait_for_task(
    client: AsyncClient, reply: Reply[Any], *, on_progress: Callable[[AsyncTask], object] | None = None
) -> AsyncTask | None:
    """Waits for the work that a response has accepted (202 with `Location`).

    Returns the task; None if the work was done immediately. Raises WorkFailedError when it fails.
    """
    location = reply.headers.get("location")
    if reply.status != 202 or location is None:
        return None
    wait = _FIRST_POLL_S
    while True:
        state = await client.send(Request("GET", url_within(client.base_url, location)))
        task = cast(AsyncTask, state.body)
        if on_progress:
            on_progress(task)
        if task["_status"] == "COMPLETED":
            return task
        if task["_status"] == "ERROR":
            raise WorkFailedError(task.get("_statusmsg", "The task has failed."), task)
        await sleep(wait)
        wait = min(_LAST_POLL_S, wait * 1.5)
