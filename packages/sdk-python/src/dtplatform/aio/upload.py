"""Uploads that resume after a lost connection (tus)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, cast

from .._runtime_async import run_blocking
from ..errors import ApiError, DtplatformError, NetworkError, UploadInterruptedError
from ..request import Request
from ..retry import is_temporary
from ..schemas import File, NewUpload
from ..upload_content import Source, UploadContent
from .client import AsyncClient
from .transport import with_retries

_RETRIES = 5
_STALL_S = 60.0
_CHUNK_BYTES = 256 * 1024
#: Another program writes to the same upload, or its lease has not expired yet.
_CONFLICTS = (409, 423)
_TUS = {"Tus-Resumable": "1.0.0"}

OnProgress = Callable[[int, int], object]


async def upload(
    client: AsyncClient,
    *,
    name: str,
    content: UploadContent,
    parents: list[str] | None = None,
    tags: list[str] | None = None,
    namespace: str | None = None,
    checksum: str = "none",
    resume: str | None = None,
    on_start: Callable[[str], object] | None = None,
    on_progress: OnProgress | None = None,
    retries: int = _RETRIES,
) -> File:
    """Uploads bytes, or a file opened in binary mode, in as many attempts as necessary.

    A file of the same name in the same folder gets a new version. `parents` are the ids of its folders; `checksum` is
    such as `sha256:` with the digest, which the platform verifies. `on_start` gets the id of the file before its
    content is sent; `resume` takes that id. `on_progress` gets the bytes sent, and all. `retries` is the number of
    retries without progress.

    Raises UploadInterruptedError when it cannot continue now but can be resumed, ApiError when the platform rejects it.
    """
    source = Source(content)
    if resume is None:
        meta = {"_size": source.size, "_checksum": checksum}
        more = {"_parents": parents, "_tags": tags}
        new = {"_name": name, "_uploadMeta": meta, **{key: value for key, value in more.items() if value is not None}}
        resume = await _initiate(client, cast(NewUpload, new), namespace)
    if on_start:
        on_start(resume)
    url = client.filesvc.uploads.progress.url(id=resume, nsfilter=namespace, uploadType="resumable")
    transfer = _Transfer(client, url, source, on_progress)
    try:
        await with_retries(
            transfer.attempt, retries=retries, may_repeat=_may_repeat, has_advanced=transfer.has_advanced
        )
        return await client.filesvc.files.get(id=resume, nsfilter=namespace)
    except DtplatformError as error:
        if isinstance(error, ApiError) and not _may_repeat(error):
            raise
        raise UploadInterruptedError(resume, error) from error


async def upload_from_file(
    client: AsyncClient, path: str | PathLike[str], *, name: str | None = None, **options: Any
) -> File:
    """Uploads a file from disk. Reads it twice, because the platform verifies its SHA-256. Options as of `upload`."""
    digest = await run_blocking(_digest_of, path)
    with closing(await run_blocking(Path(path).open, "rb")) as content:
        return await upload(
            client,
            name=name or Path(path).name,
            content=cast(UploadContent, content),
            checksum=f"sha256:{digest}",
            **options,
        )


def _may_repeat(error: Exception) -> bool:
    return is_temporary(error) or (isinstance(error, ApiError) and error.status in (*_CONFLICTS, 500))


async def _initiate(client: AsyncClient, new: NewUpload, namespace: str | None) -> str:
    file = await client.filesvc.uploads.initiate(uploadType="resumable", nsfilter=namespace, body=new)
    return cast(File, file)["_id"]


@dataclass
class _Transfer:
    client: AsyncClient
    url: str
    source: Source
    on_progress: OnProgress | None
    stored: int = field(default=0, init=False)
    reached: int = field(default=0, init=False)

    async def attempt(self) -> None:
        """Sends what the platform does not have yet."""
        self.stored = await self._offset("HEAD", None)
        if self.stored == self.source.size:
            return
        start = self.stored
        self.stored = await self._offset("PATCH", lambda: self._parts(start))
        if self.stored < self.source.size:
            raise NetworkError(f"The connection was cut after {self.stored} of {self.source.size} bytes.")

    def has_advanced(self) -> bool:
        is_further = self.stored > self.reached
        self.reached = self.stored
        return is_further

    async def _offset(self, method: str, body: Callable[[], Any] | None) -> int:
        headers = dict(_TUS)
        if body:
            headers["Content-Type"] = "application/offset+octet-stream"
            headers["Content-Length"] = str(self.source.size - self.stored)
            headers["Upload-Offset"] = str(self.stored)
        reply = await self.client.send(Request(method, self.url, headers, body, timeout=_STALL_S, retries=0))
        return int(reply.headers.get("Upload-Offset", self.stored))

    async def _parts(self, start: int) -> AsyncIterator[bytes]:
        while start < self.source.size:
            part = await run_blocking(self.source.read, start, _CHUNK_BYTES)
            yield part
            start += len(part)
            if self.on_progress:
                self.on_progress(start, self.source.size)


def _digest_of(path: str | PathLike[str]) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1024 * 1024):
            digest.update(chunk)
    return digest.hexdigest()
