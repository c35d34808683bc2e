"""Errors of responses: in the platform's format, OAuth's (RFC 6749), SCIM's (RFC 7644), or an intermediary's."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from .errors import ApiError, ErrorDetail


def api_error_of(response: httpx.Response) -> ApiError:
    """The response must have been read."""
    return make_api_error(response.status_code, response.text, response.headers, response.reason_phrase)


def api_error_of_body(body: str) -> ApiError:
    """The error at the end of an event stream."""
    status = _parse(body).get("status")
    return make_api_error(status if isinstance(status, int) else 500, body)


def make_api_error(status: int, text: str, headers: httpx.Headers | None = None, reason: str = "") -> ApiError:
    body = _parse(text)
    headers = headers if headers is not None else httpx.Headers()
    oauth_code = _text_in(body, "error")
    message = _text_in(body, "message") or _text_in(body, "error_description") or _text_in(body, "detail")
    details = _details_of(body)
    return ApiError(
        _with_first(message or f"The platform responded with {status} {reason}".rstrip() + ".", details),
        status=status,
        code=_text_in(body, "code") or oauth_code.upper() or _text_in(body, "scimType") or f"HTTP_{status}",
        request_id=_text_in(body, "requestId") or headers.get("x-request-id"),
        details=details,
        retry_after=_retry_after(headers.get("retry-after")),
    )


def _details_of(body: dict[str, Any]) -> list[ErrorDetail]:
    errors = body.get("errors")
    # Another server may use the name for something else.
    entries = [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []
    return [
        {"location": _text_in(each, "location"), "message": _text_in(each, "message")}
        for each in entries
        if "location" in each
    ]


def _with_first(message: str, details: list[ErrorDetail]) -> str:
    return f"{message} {details[0]['location']}: {details[0]['message']}" if details else message


def _parse(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text_in(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""


def _retry_after(value: str | None) -> float | None:
    """`Retry-After` in seconds, from seconds or a date (RFC 9110, section 10.2.3)."""
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, until.timestamp() - time.time())
