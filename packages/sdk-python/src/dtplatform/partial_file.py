"""A file that is complete only once it has its final name."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from hashlib import sha256
from typing import BinaryIO, TypeVar

from .errors import DiskError

T = TypeVar("T")


class PartialFile:
    """Raises DiskError when it cannot be written, and then removes what is there."""

    def __init__(self, path: str, etag: str) -> None:
        # Renaming would replace a link instead of its file, and a device or pipe.
        if os.path.exists(path) and not os.path.isfile(path):
            raise DiskError(path, OSError(errno.EINVAL, "it is not a file"))
        self._path = os.path.realpath(path)
        self._part = f"{self._path}.{sha256(etag.encode()).hexdigest()[:12]}.part"
        self._file: BinaryIO | None = None
        self.size = os.path.getsize(self._part) if os.path.exists(self._part) else 0
        self._file = self._on_disk(lambda: open(self._part, "ab"))  # noqa: SIM115 -- `close` closes it

    def write(self, chunk: bytes) -> None:
        self._on_disk(lambda: self._file and self._file.write(chunk))

    def finish(self) -> None:
        self._on_disk(self._sync)
        self.close()
        self._on_disk(lambda: os.replace(self._part, self._path))

    def discard(self) -> None:
        self.close()
        if os.path.exists(self._part):
            os.unlink(self._part)

    def close(self) -> None:
        file, self._file = self._file, None
        if file:
            self._on_disk(file.close)

    def _sync(self) -> None:
        if self._file:
            self._file.flush()
            os.fsync(self._file.fileno())

    def _on_disk(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except OSError as error:
            self._file = None
            self.discard()
            raise DiskError(self._path, error) from error
