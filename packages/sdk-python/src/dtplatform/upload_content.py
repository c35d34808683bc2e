"""What can be uploaded."""

from __future__ import annotations

import os
import threading
from typing import BinaryIO, Union

UploadContent = Union[bytes, bytearray, memoryview, BinaryIO]


class Source:
    """Content that is read in parts. A file must be seekable."""

    def __init__(self, content: UploadContent) -> None:
        self._content = content
        self._lock = threading.Lock()
        if isinstance(content, (bytes, bytearray, memoryview)):
            self.size = memoryview(content).nbytes
        else:
            self.size = content.seek(0, os.SEEK_END)

    def read(self, start: int, length: int) -> bytes:
        if isinstance(self._content, (bytes, bytearray, memoryview)):
            return bytes(memoryview(self._content).cast("B")[start : start + length])
        # A read that was abandoned with its request may still be running.
        with self._lock:
            self._content.seek(start)
            return self._content.read(length)
