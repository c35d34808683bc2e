"""Sessions of users."""

from __future__ import annotations

import secrets
import time
import webbrowser
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from .._runtime_async import Lock, run_blocking, shielded
from ..errors import DtplatformError, SignedOutError, SignInError
from ..loopback import Loopback
from ..request import base_of
from ..store import MemoryStore, SessionStore
from ..tokens import AppCredentials, Tokens
from .token_request import request_tokens, revoke_tokens

_SIGN_IN_S = 600.0


@dataclass(frozen=True)
class _Settings:
    app: AppCredentials
    redirect_uri: str
    store: SessionStore
    http: httpx.AsyncClient | None


class Session:
    """The session of a user, signed in with PKCE (RFC 7636). Its token is renewed once, however many calls need it."""

    def __init__(self, settings: _Settings) -> None:
        self._settings = settings
        self._store = settings.store
        self._lock = Lock()

    async def token(self, *, rejected: str | None = None) -> str:
        """Raises SignedOutError if there is no session, or it has expired or was revoked."""
        current = self._current(rejected)
        return await shielded(self._renew(rejected)) if current is None else current

    async def begin(self) -> str:
        """Starts a sign-in and returns the URL of the sign-in page."""
        verifier, state = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        async with self._exclusive():
            self._store.set(f"sign-in:{state}", verifier)
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._settings.app.client_id,
            "redirect_uri": self._settings.redirect_uri,
            "scope": "read write",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._settings.app.base_url}/passportsvc/api/v2/oauth/authorize?{urlencode(query)}"

    async def complete(self, url: str) -> None:
        """Completes the sign-in with the redirect URL.

        Raises SignInError if the user denied it or it was not started here.
        """
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        started = f"sign-in:{query.get('state', '')}"
        async with self._exclusive():
            verifier = self._store.get(started)
            self._store.set(started, None)
        if verifier is None:
            raise SignInError("This sign-in was not started here.", "unknown_state")
        if "error" in query:
            raise SignInError(query.get("error_description", query["error"]), query["error"])
        tokens = await self._exchange(query.get("code", ""), verifier)
        # A renewal of the previous session must not replace or remove this one.
        async with self._exclusive():
            self._keep(tokens)

    async def sign_in(self, open_page: Callable[[str], object] = webbrowser.open) -> None:
        """Opens the sign-in page in a browser and waits for the redirect, which must lead to this machine."""
        url = await self.begin()
        loopback = Loopback(self._settings.redirect_uri, url)
        try:
            await run_blocking(open_page, url)
            back = await run_blocking(loopback.wait, _SIGN_IN_S)
        finally:
            loopback.close()
        await self.complete(back)

    async def is_signed_in(self) -> bool:
        return self._stored() is not None

    async def sign_out(self, *, return_to: str | None = None) -> str:
        """Drops the session and revokes its tokens; if the platform cannot be reached, they expire later.

        Returns the URL of the page where the user also ends the browser's session. Afterwards that page leads to
        `return_to`, whose origin must be that of a redirect URI of the app.
        """
        app = self._settings.app
        async with self._exclusive():
            tokens = self._stored()
            self._keep(None)
            if tokens and tokens.refresh_token:
                # The second use of the token is rejected, which revokes it.
                with suppress(DtplatformError):
                    await revoke_tokens(app, tokens.refresh_token, self._settings.http)
        query = {"client_id": app.client_id}
        if return_to is not None:
            query["post_logout_redirect_uri"] = return_to
        return f"{app.base_url}/passportsvc/api/v1/logout?{urlencode(query)}"

    async def _renew(self, rejected: str | None) -> str:
        async with self._exclusive():
            # Another task or process may have renewed it meanwhile.
            current = self._current(rejected)
            if current is not None:
                return current
            tokens = self._stored()
            if tokens is None or tokens.refresh_token is None:
                raise SignedOutError("There is no session. Sign in.")
            grant = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
            try:
                renewed = await request_tokens(self._settings.app, grant, self._settings.http)
            except SignedOutError:
                self._keep(None)
                raise
            self._keep(renewed)
            return renewed.access_token

    async def _exchange(self, code: str, verifier: str) -> Tokens:
        """An invalid code means that the sign-in took too long, not that a session was lost."""
        grant = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._settings.redirect_uri,
            "code_verifier": verifier,
        }
        try:
            return await request_tokens(self._settings.app, grant, self._settings.http)
        except SignedOutError as error:
            message = "The sign-in took too long, or was already completed. Try again."
            raise SignInError(message, "invalid_grant") from error

    @asynccontextmanager
    async def _exclusive(self) -> AsyncIterator[None]:
        # First the own lock, so that waiting for the store takes up at most one thread.
        async with self._lock:
            await run_blocking(self._store.acquire)
            try:
                yield
            finally:
                self._store.release()

    def _current(self, rejected: str | None) -> str | None:
        tokens = self._stored()
        is_usable = tokens is not None and tokens.is_fresh(time.time()) and tokens.access_token != rejected
        return tokens.access_token if tokens and is_usable else None

    def _stored(self) -> Tokens | None:
        text = self._store.get("tokens")
        return None if text is None else Tokens.from_json(text)

    def _keep(self, tokens: Tokens | None) -> None:
        self._store.set("tokens", None if tokens is None else tokens.to_json())


def create_session(
    *,
    base_url: str,
    client_id: str,
    redirect_uri: str,
    client_secret: str | None = None,
    store: SessionStore | None = None,
    http: httpx.AsyncClient | None = None,
) -> Session:
    """A session of a user of an app. `store` keeps it, by default in memory; `http` sends the token requests."""
    app = AppCredentials(base_of(base_url), client_id, client_secret)
    return Session(_Settings(app, redirect_uri, store or MemoryStore(), http))
