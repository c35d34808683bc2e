"""Sources of access tokens."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol, Union, runtime_checkable

import httpx

from .._runtime_async import Lock, TokenSource, shielded, token_of
from ..request import base_of
from ..tokens import AppCredentials, Tokens
from .token_request import request_tokens


@runtime_checkable
class Auth(Protocol):
    """A client's source of access tokens."""

    async def token(self, *, rejected: str | None = None) -> str:
        """A valid token, other than one that the platform has just rejected. Raises SignedOutError if there is none."""
        ...


#: What authorizes calls: a session, the credentials of an app, a token, or a function that returns one.
AnyAuth = Union[Auth, str, TokenSource]


def as_auth(given: AnyAuth | None) -> Auth | None:
    if given is None or isinstance(given, Auth):
        return given
    return _Given(given)


@dataclass(frozen=True)
class _Given:
    source: str | TokenSource

    async def token(self, *, rejected: str | None = None) -> str:
        return self.source if isinstance(self.source, str) else await token_of(self.source)


class ClientCredentials:
    """Signs in as an app. Concurrent calls share one token request."""

    def __init__(self, app: AppCredentials, http: httpx.AsyncClient | None = None) -> None:
        self._app = app
        self._http = http
        self._tokens: Tokens | None = None
        self._lock = Lock()

    async def token(self, *, rejected: str | None = None) -> str:
        current = self._current(rejected)
        return await shielded(self._renew(rejected)) if current is None else current

    async def _renew(self, rejected: str | None) -> str:
        async with self._lock:
            current = self._current(rejected)
            if current is None:
                self._tokens = await request_tokens(self._app, {"grant_type": "client_credentials"}, self._http)
                current = self._tokens.access_token
            return current

    def _current(self, rejected: str | None) -> str | None:
        tokens = self._tokens
        is_usable = tokens is not None and tokens.is_fresh(time.time()) and tokens.access_token != rejected
        return tokens.access_token if tokens and is_usable else None


def client_credentials(
    *, base_url: str, client_id: str, client_secret: str, http: httpx.AsyncClient | None = None
) -> ClientCredentials:
    """Signs in as an app. `http` sends the token requests, for example through a proxy."""
    return ClientCredentials(AppCredentials(base_of(base_url), client_id, client_secret), http)
