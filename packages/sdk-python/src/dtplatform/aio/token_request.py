"""Requests tokens."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack

import httpx

from ..errors import ApiError, SignedOutError, TimeoutError
from ..retry import is_temporary
from ..tokens import AppCredentials, Tokens, token_request_of
from .transport import Transport, with_retries

#: Generous, because repeating a refresh while the first request is still running would end the session.
_TIMEOUT_S = 60.0
_RETRIES = 4
#: Nobody waits long to sign out.
_SIGN_OUT_S = 5.0


async def request_tokens(
    app: AppCredentials,
    grant: dict[str, str],
    http: httpx.AsyncClient | None,
    *,
    timeout: float = _TIMEOUT_S,
    retries: int = _RETRIES,
) -> Tokens:
    """Raises SignedOutError when the code or refresh token is invalid.

    Retries after a lost connection: if the platform had received the request, the tokens in its response are lost
    anyway. Does not retry after a timeout, because the first request may still succeed.
    """
    request = token_request_of(app, grant)
    async with AsyncExitStack() as stack:
        own = await stack.enter_async_context(httpx.AsyncClient()) if http is None else http
        transport = Transport(own, auth=None, timeout=timeout, retries=0)
        sent_at = time.time()
        try:
            response = await with_retries(
                lambda: transport.send(request),
                retries=retries,
                may_repeat=lambda error: is_temporary(error) and not isinstance(error, TimeoutError),
            )
        except ApiError as error:
            if error.code == "INVALID_GRANT":
                raise SignedOutError("The session has expired or was revoked. Sign in again.") from error
            raise
        return Tokens.from_reply(response.json(), sent_at)


async def revoke_tokens(app: AppCredentials, refresh_token: str, http: httpx.AsyncClient | None) -> None:
    """Revokes a refresh token and all access tokens of its session, by using it twice (RFC 9700, section 4.14.2)."""
    grant = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    for _ in range(2):
        await request_tokens(app, grant, http, timeout=_SIGN_OUT_S, retries=1)
