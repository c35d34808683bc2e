"""Sends requests with a token, a time limit and retries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import httpx

from .._runtime_async import sleep
from ..error_reply import api_error_of
from ..errors import ApiError, NetworkError, TimeoutError
from ..request import Form, Request
from ..retry import delay_of, is_safe, is_temporary

if TYPE_CHECKING:
    from .auth import Auth

T = TypeVar("T")


@dataclass(frozen=True)
class Transport:
    http: httpx.AsyncClient
    auth: Auth | None
    #: Seconds without progress after which an attempt fails.
    timeout: float
    retries: int

    async def send(self, request: Request, *, stream: bool = False) -> httpx.Response:
        """Raises an error for every response other than 2xx. The caller closes a response that is a stream."""
        retries = self.retries if request.retries is None else request.retries
        return await with_retries(
            lambda: self._send_with_token(request, stream),
            retries=retries,
            may_repeat=lambda error: is_temporary(error) and is_safe(request, error),
        )

    async def _send_with_token(self, request: Request, stream: bool) -> httpx.Response:
        """Replaces a rejected token once. A 401 means that the call had no effect."""
        if self.auth is None:
            return await self._attempt(request, stream)
        token = await self.auth.token()
        try:
            return await self._attempt(_with_token(request, token), stream)
        except ApiError as error:
            if error.status != 401:
                raise
            other = await self.auth.token(rejected=token)
            if other == token:
                raise
        return await self._attempt(_with_token(request, other), stream)

    async def _attempt(self, request: Request, stream: bool) -> httpx.Response:
        timeout = self.timeout if request.timeout is None else request.timeout
        host = urlsplit(request.url).netloc
        try:
            sent = self.http.build_request(
                request.method, request.url, headers=request.headers, timeout=timeout, **_content_of(request.body)
            )
            response = await self.http.send(sent, stream=True, follow_redirects=True)
            if response.is_success and stream:
                return response
            try:
                await response.aread()
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise TimeoutError(f"{host} did not respond within {timeout:g} s.") from error
        except httpx.RequestError as error:
            raise NetworkError(f"{host} cannot be reached: {error}") from error
        if not response.is_success:
            raise api_error_of(response)
        return response


async def with_retries(
    work: Callable[[], Awaitable[T]],
    *,
    retries: int,
    may_repeat: Callable[[Exception], bool] = is_temporary,
    has_advanced: Callable[[], bool] = lambda: False,
) -> T:
    """Repeats work until it succeeds, fails permanently, or has used up its attempts. Progress resets their number."""
    attempt = 0
    while True:
        try:
            return await work()
        except Exception as error:
            if has_advanced():
                attempt = 0
            wait = delay_of(error, attempt) if attempt < retries and may_repeat(error) else None
            if wait is None:
                raise
        await sleep(wait)
        attempt += 1


def _with_token(request: Request, token: str) -> Request:
    return replace(request, headers={**request.headers, "Authorization": f"Bearer {token}"})


def _content_of(body: Any) -> dict[str, Any]:
    if isinstance(body, Form):
        return {"data": body.fields, "files": [("file", file) for file in body.files]}
    return {"content": body() if callable(body) else body}
