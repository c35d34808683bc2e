"""The synchronous counterpart of `_runtime_async`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from typing_extensions import ParamSpec

P = ParamSpec("P")
T = TypeVar("T")

#: A function that returns a token.
TokenSource = Callable[[], str]

Lock = threading.Lock
sleep = time.sleep


def token_of(source: TokenSource) -> str:
    return source()


def run_blocking(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return work(*args, **kwargs)


def shielded(result: T) -> T:
    return result
