"""Errors of the client. All of them extend `DtplatformError`."""

from __future__ import annotations

from typing import TypedDict


class ErrorDetail(TypedDict):
    """An invalid part of the request. `location` is such as `body._name`."""

    location: str
    message: str


class DtplatformError(Exception):
    """The base class of all errors of this package."""


class ApiError(DtplatformError):
    """The platform rejected a call or failed."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None = None,
        details: list[ErrorDetail] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: Identifies the error for programs, such as `NAME_TAKEN`.
        self.code = code
        #: Identifies the call in the platform's logs.
        self.request_id = request_id
        self.details = details or []
        #: Seconds until a retry makes sense, if the platform sent them.
        self.retry_after = retry_after


class NetworkError(DtplatformError):
    """The platform could not be reached, or the connection broke. Whether it has received the call is unknown."""


class TimeoutError(DtplatformError):
    """The platform did not respond in time. Whether the call had an effect is unknown."""


class SignedOutError(DtplatformError):
    """There is no session, or it has expired or was revoked: the user must sign in again."""


class SignInError(DtplatformError):
    """The sign-in was denied, or the redirect belongs to no sign-in that was started here."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        #: The OAuth error code, such as `access_denied`.
        self.code = code


class WorkFailedError(DtplatformError):
    """Accepted work has failed or was cancelled."""

    def __init__(self, message: str, work: object) -> None:
        super().__init__(message)
        #: The task or run in its last known state.
        self.work = work


class UploadInterruptedError(DtplatformError):
    """An upload has stopped; what was stored is kept. Resume it with `resume=error.file_id`."""

    def __init__(self, file_id: str, cause: Exception) -> None:
        super().__init__(f"The upload was interrupted: {cause}")
        self.file_id = file_id


class ContentChangedError(DtplatformError):
    """The content of a file changed during its download."""


class DiskError(DtplatformError):
    """A file cannot be written."""

    def __init__(self, path: str, cause: OSError) -> None:
        super().__init__(f"{path} cannot be written: {cause.strerror or cause}.")
        #: The system's error number, such as `errno.ENOSPC`.
        self.errno = cause.errno
