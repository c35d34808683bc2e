"""Receives the redirect of a sign-in on this machine (RFC 8252, section 7.3)."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urljoin, urlsplit

from .errors import SignInError

_HOSTS = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1"}
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>dtplatform</title>'
    "<p>You can close this page and return to the program.</p>"
)


class Loopback:
    """Listens at a redirect URI. Raises ValueError for one that does not lead to this machine."""

    def __init__(self, redirect_uri: str, sign_in_url: str) -> None:
        expected = urlsplit(redirect_uri)
        if expected.scheme != "http" or expected.hostname not in _HOSTS:
            raise ValueError("The redirect URI must be http://127.0.0.1 or http://localhost, with a port.")
        self._redirect_uri = redirect_uri
        self._state = parse_qs(urlsplit(sign_in_url).query)["state"]
        self._back: str | None = None
        self._server = HTTPServer((_HOSTS[expected.hostname], expected.port or 80), self._handler())

    def wait(self, seconds: float) -> str:
        """The URL that the browser was redirected to. Raises SignInError if nobody signs in in time."""
        end = time.monotonic() + seconds
        while self._back is None:
            self._server.timeout = end - time.monotonic()
            if self._server.timeout <= 0:
                raise SignInError("Nobody signed in in time.", "timeout")
            self._server.handle_request()
        return self._back

    def close(self) -> None:
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            # A browser may open a connection that it does not use.
            timeout = 5

            def do_GET(self) -> None:
                is_ours = loopback._accept(self.path)
                self.send_response(200 if is_ours else 404)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(_PAGE.encode() if is_ours else b"")

            def log_message(self, format: str, *args: object) -> None:
                """The path contains the code."""

        return Handler

    def _accept(self, path: str) -> bool:
        """Any page could send the browser here; only the sign-in page knows the state."""
        url = urlsplit(path)
        is_ours = url.path == urlsplit(self._redirect_uri).path and parse_qs(url.query).get("state") == self._state
        if is_ours:
            self._back = urljoin(self._redirect_uri, path)
        return is_ours
