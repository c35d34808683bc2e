"""The client: calls operations with a token, in a namespace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import httpx
from typing_extensions import Self

from ..errors import NetworkError
from ..request import Request, Route, base_of, request_of, url_within
from ..types import Reply
from .auth import AnyAuth, Auth, as_auth
from .operations import Operations
from .transport import Transport


@dataclass(frozen=True)
class _Settings:
    base_url: str
    namespace: str | None
    strict: bool


class AsyncClient(Operations):
    """A client of the platform. Operations are attributes: `client.filesvc.files.get(id=…)`."""

    def __init__(self, settings: _Settings, transport: Transport) -> None:
        self._settings = settings
        self._transport = transport

    @property
    def base_url(self) -> str:
        return self._settings.base_url

    @property
    def namespace(self) -> str | None:
        """The namespace of calls, and the only one that lists cover, unless the call names another."""
        return self._settings.namespace

    @property
    def auth(self) -> Auth | None:
        """What authorizes each call."""
        return self._transport.auth

    def in_(self, namespace: str) -> AsyncClient:
        """The same client in another namespace."""
        return AsyncClient(replace(self._settings, namespace=namespace), self._transport)

    def request_of(self, route: Route, given: dict[str, Any]) -> Request:
        return request_of(route, self.base_url, self.namespace, self._settings.strict, given)

    async def send(self, request: Request) -> Reply[Any]:
        response = await self._transport.send(request)
        return Reply(response.status_code, response.headers, _body_of(response))

    async def open(self, path: str, **request: Any) -> httpx.Response:
        """Opens a URL of the platform with the client's token. The caller reads and closes the response."""
        method = request.pop("method", "GET")
        return await self._transport.send(Request(method, url_within(self.base_url, path), **request), stream=True)

    async def aclose(self) -> None:
        """Closes the connections, also of clients made by `in_`."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def create_client(
    *,
    base_url: str,
    auth: AnyAuth | None = None,
    namespace: str | None = None,
    strict: bool = False,
    timeout: float = 30,
    retries: int = 4,
    http: httpx.AsyncClient | None = None,
) -> AsyncClient:
    """Creates a client.

    `strict` makes unknown parameters and fields errors; by default the platform ignores them. `timeout` is the number
    of seconds without progress after which an attempt fails; `retries`, the number of retries of calls that are safe
    to repeat; `http`, your own HTTP client, for example with a proxy.
    """
    transport = Transport(http or httpx.AsyncClient(), as_auth(auth), timeout, retries)
    return AsyncClient(_Settings(base_of(base_url), namespace, strict), transport)


def _body_of(response: httpx.Response) -> Any:
    media = response.headers.get("content-type", "").partition(";")[0].strip()
    # A HEAD has the headers of a body without one.
    if response.content and media.endswith(("/json", "+json")):
        return response.json()
    # No operation returns a page: it comes from an intermediary, or the base URL is wrong.
    if media == "text/html":
        raise NetworkError(f"{response.url} responded with an HTML page. Is it the platform?")
    return response.content or (None if media == "" else b"")
