"""Downloads that resume after a lost connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

import httpx

from .._runtime_async import run_blocking
from ..errors import ContentChangedError, NetworkError, TimeoutError
from ..partial_file import PartialFile
from .client import AsyncClient
from .transport import with_retries

_RETRIES = 5
_STALL_S = 60.0

OnProgress = Callable[[int, int], object]


@dataclass
class _Download:
    client: AsyncClient
    url: str
    on_progress: OnProgress | None
    retries: int
    #: The number of bytes received so far.
    at: int = 0
    etag: str = ""
    size: int = field(default=0, init=False)
    media_type: str = field(default="", init=False)

    async def open(self, retries: int) -> httpx.Response:
        """`If-Range` makes the platform send everything if the content has changed (RFC 9110, section 13.1.5)."""
        # Without compression, length and positions are known.
        headers = {"Accept-Encoding": "identity"}
        if self.at > 0:
            headers |= {"Range": f"bytes={self.at}-", "If-Range": self.etag}
        response = await self.client.open(self.url, headers=headers, timeout=_STALL_S, retries=retries)
        if self.at > 0 and response.status_code != 206:
            await response.aclose()
            raise ContentChangedError("The content of the file changed during the download.")
        self.etag = response.headers.get("etag", "")
        self.media_type = response.headers.get("content-type", "")
        self.size = self.at + int(response.headers.get("content-length", 0))
        return response

    async def chunks(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """Resumes a broken connection as long as the content is unchanged."""
        without_progress = 0
        while True:
            before = self.at
            try:
                async for part in response.aiter_bytes():
                    self.at += len(part)
                    yield part
                    if self.on_progress:
                        self.on_progress(self.at, self.size)
                return
            except httpx.RequestError as error:
                without_progress = 0 if self.at > before else without_progress + 1
                if self.retries == 0 or without_progress > self.retries:
                    is_late = isinstance(error, httpx.TimeoutException)
                    kind = TimeoutError if is_late else NetworkError
                    raise kind(f"The connection was cut after {self.at} of {self.size} bytes.") from error
            finally:
                await response.aclose()
            response = await with_retries(lambda: self.open(0), retries=self.retries)


@dataclass(frozen=True)
class Download:
    """Content that is being downloaded."""

    media_type: str
    #: In bytes.
    size: int
    chunks: AsyncGenerator[bytes, None]


async def download_stream(
    client: AsyncClient,
    *,
    id: str,
    version_id: str | None = None,
    namespace: str | None = None,
    on_progress: OnProgress | None = None,
    retries: int = _RETRIES,
) -> Download:
    """Downloads a file of any size, or a version of it, in chunks. `on_progress` gets the bytes received, and all."""
    url = _url_of(client, id, version_id, namespace)
    download = _Download(client, url, on_progress, retries)
    response = await download.open(retries)
    return Download(download.media_type, download.size, download.chunks(response))


async def download_bytes(
    client: AsyncClient,
    *,
    id: str,
    version_id: str | None = None,
    namespace: str | None = None,
    on_progress: OnProgress | None = None,
    retries: int = _RETRIES,
) -> bytes:
    """Downloads a file, or a version of it, into memory."""
    stream = await download_stream(
        client, id=id, version_id=version_id, namespace=namespace, on_progress=on_progress, retries=retries
    )
    return b"".join([part async for part in stream.chunks])


async def download_to_file(
    client: AsyncClient,
    path: str,
    *,
    id: str,
    version_id: str | None = None,
    namespace: str | None = None,
    on_progress: OnProgress | None = None,
    retries: int = _RETRIES,
) -> None:
    """Downloads a file to a path.

    Writes to `PATH.….part` and renames it once complete. After an interruption, the next call with the same path
    resumes, if the content is unchanged. Raises DiskError when it cannot be written; the part is then removed.
    """
    url = _url_of(client, id, version_id, namespace)
    while True:
        head = await client.open(url, method="HEAD", headers={"Accept-Encoding": "identity"})
        await head.aclose()
        etag, size = head.headers.get("etag", ""), int(head.headers["content-length"])
        part = await run_blocking(PartialFile, path, etag)
        download = _Download(client, url, on_progress, retries, at=part.size, etag=etag)
        try:
            # The platform would reject a range that starts at the end.
            if part.size == 0 or part.size != size:
                await _receive(download, part)
            return await run_blocking(part.finish)
        except ContentChangedError:
            await run_blocking(part.discard)
        finally:
            part.close()


async def _receive(download: _Download, part: PartialFile) -> None:
    async with aclosing(download.chunks(await download.open(download.retries))) as chunks:
        async for chunk in chunks:
            await run_blocking(part.write, chunk)


def _url_of(client: AsyncClient, id: str, version_id: str | None, namespace: str | None) -> str:
    if version_id is None:
        return client.filesvc.content.get.url(id=id, nsfilter=namespace)
    return client.filesvc.file_versions.content.url(id=id, versionId=version_id, nsfilter=namespace)
