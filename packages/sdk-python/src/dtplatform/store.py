"""Stores of sessions."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        # It gives up after ten seconds.
        while True:
            try:
                return msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            except OSError:
                continue

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


class SessionStore(Protocol):
    """Stores a session.

    A refresh token works once, and using it twice ends the session, so all users of a store must share its lock.
    """

    def get(self, name: str) -> str | None:
        """Names are `tokens`, and `sign-in:…` for started sign-ins."""
        ...

    def set(self, name: str, value: str | None) -> None:
        """None removes the entry. The caller has the lock."""
        ...

    def acquire(self) -> object:
        """Waits until no other user of the store has the lock."""
        ...

    def release(self) -> None: ...


class MemoryStore:
    """Keeps a session for the lifetime of the process."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        lock = threading.Lock()
        self.acquire = lock.acquire
        self.release = lock.release

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def set(self, name: str, value: str | None) -> None:
        if value is None:
            self._values.pop(name, None)
        else:
            self._values[name] = value


class FileStore:
    """Keeps a session in a file that only its owner can read. Programs that use the same path share the session."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock_path = self._path.with_name(f"{self._path.name}.lock")
        self._threads = threading.Lock()
        self._locked: IO[str] | None = None

    def get(self, name: str) -> str | None:
        value = self._read().get(name)
        return value if isinstance(value, str) else None

    def set(self, name: str, value: str | None) -> None:
        values = self._read()
        values.pop(name, None)
        with _replacement(self._path) as file:
            json.dump(values if value is None else {**values, name: value}, file)

    def acquire(self) -> None:
        self._threads.acquire()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._lock_path.open("a")
            _lock(file)
        except BaseException:
            self._threads.release()
            raise
        self._locked = file

    def release(self) -> None:
        locked, self._locked = self._locked, None
        if locked:
            locked.close()
        self._threads.release()

    def _read(self) -> dict[str, object]:
        try:
            values = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return values if isinstance(values, dict) else {}


@contextmanager
def _replacement(path: Path) -> Iterator[IO[str]]:
    """A file, readable only by its owner, that replaces another once it is complete."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yield file
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
