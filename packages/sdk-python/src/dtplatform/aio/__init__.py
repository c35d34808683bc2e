"""The client library of dtplatform, asynchronous."""

from ..errors import (
    ApiError,
    ContentChangedError,
    DiskError,
    DtplatformError,
    ErrorDetail,
    NetworkError,
    SignedOutError,
    SignInError,
    TimeoutError,
    UploadInterruptedError,
    WorkFailedError,
)
from ..request import Form
from ..store import FileStore, MemoryStore, SessionStore
from ..types import CallOptions, Page, Reply
from .auth import Auth, ClientCredentials, client_credentials
from .client import AsyncClient, create_client
from .download import Download, download_bytes, download_stream, download_to_file
from .paginate import paginate
from .runs import wait_for_run, watch_run
from .session import Session, create_session
from .tasks import wait_for_task
from .upload import upload, upload_from_file

__all__ = [
    "ApiError",
    "AsyncClient",
    "Auth",
    "CallOptions",
    "ClientCredentials",
    "ContentChangedError",
    "DiskError",
    "Download",
    "DtplatformError",
    "ErrorDetail",
    "FileStore",
    "Form",
    "MemoryStore",
    "NetworkError",
    "Page",
    "Reply",
    "Session",
    "SessionStore",
    "SignInError",
    "SignedOutError",
    "TimeoutError",
    "UploadInterruptedError",
    "WorkFailedError",
    "client_credentials",
    "create_client",
    "create_session",
    "download_bytes",
    "download_stream",
    "download_to_file",
    "paginate",
    "upload",
    "upload_from_file",
    "wait_for_run",
    "wait_for_task",
    "watch_run",
]
