"""When calls are retried."""

from __future__ import annotations

import random

from .errors import ApiError, NetworkError, TimeoutError
from .request import Form, Request

_BASE_S = 0.25
_MAX_BACKOFF_S = 10.0
#: Longer delays are left to the caller.
_MAX_RETRY_AFTER_S = 60.0
_JITTER_S = 1.0
_TEMPORARY = (408, 425, 429, 502, 503, 504)
_IDEMPOTENT = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")


def is_temporary(error: Exception) -> bool:
    """Whether the same call may succeed later. A 409 with `Retry-After` means that the key is still in use."""
    if isinstance(error, (NetworkError, TimeoutError)):
        return True
    if not isinstance(error, ApiError):
        return False
    return error.status in _TEMPORARY or (error.status == 409 and error.retry_after is not None)


def is_safe(request: Request, error: Exception) -> bool:
    """Whether a retry cannot apply the change twice.

    A change with `If-Match` and an unknown outcome would be rejected the second time even if the first succeeded. Some
    files of a form with several may be stored already: repeating it would create second versions.
    """
    if request.reads:
        return True
    if isinstance(request.body, Form) and len(request.body.files) > 1:
        return False
    names = {name.lower() for name in request.headers}
    if "idempotency-key" in names:
        return True
    is_refused = isinstance(error, ApiError) and error.status in (429, 503)
    is_conditional = "if-match" in names and request.method != "GET"
    return request.method in _IDEMPOTENT and (is_refused or not is_conditional)


def delay_of(error: Exception, attempt: int) -> float | None:
    """Seconds until the next attempt. None if the platform asks for too long.

    Without `Retry-After`, a random time whose maximum doubles with each attempt, which spreads the retries of many
    clients.
    """
    asked = error.retry_after if isinstance(error, ApiError) else None
    if asked is None:
        return random.random() * min(_MAX_BACKOFF_S, _BASE_S * 2.0**attempt)
    return None if asked > _MAX_RETRY_AFTER_S else asked + random.random() * _JITTER_S
