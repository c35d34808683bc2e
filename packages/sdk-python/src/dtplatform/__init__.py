"""The client library of dtplatform. `dtplatform.aio` is the same, asynchronous."""

from .sync import *  # noqa: F403
from .sync import __all__ as __all__
