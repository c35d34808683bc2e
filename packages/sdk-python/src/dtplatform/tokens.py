"""Tokens of sessions and apps."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote, urlencode

from .request import Request

_TOKEN_PATH = "/passportsvc/api/v2/oauth/token"
#: Tokens are renewed this long before they expire, or a quarter of their lifetime if that is less.
_MARGIN_S = 30.0


@dataclass(frozen=True)
class AppCredentials:
    """The app on whose behalf tokens are requested. Browser and native apps have no secret."""

    base_url: str
    client_id: str
    client_secret: str | None = None


@dataclass(frozen=True)
class Tokens:
    access_token: str
    refresh_token: str | None
    #: When to renew the access token; seconds since 1970 by this machine's clock.
    renew_at: float

    def is_fresh(self, now: float) -> bool:
        return now < self.renew_at

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Tokens:
        return Tokens(**json.loads(text))

    @staticmethod
    def from_reply(reply: dict[str, Any], sent_at: float) -> Tokens:
        lifetime = float(reply["expires_in"])
        renew_at = sent_at + lifetime - min(_MARGIN_S, lifetime / 4)
        return Tokens(reply["access_token"], reply.get("refresh_token"), renew_at)


def token_request_of(app: AppCredentials, grant: dict[str, str]) -> Request:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    if app.client_secret is None:
        grant = {**grant, "client_id": app.client_id}
    else:
        headers["Authorization"] = _basic(app.client_id, app.client_secret)
    return Request("POST", app.base_url + _TOKEN_PATH, headers, urlencode(grant).encode())


def _basic(client_id: str, client_secret: str) -> str:
    # RFC 6749, section 2.3.1: both are form-encoded first.
    pair = ":".join(quote(text, safe="") for text in (client_id, client_secret))
    return f"Basic {b64encode(pair.encode()).decode()}"
