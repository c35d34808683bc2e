"""Operations of the reference as methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import Concatenate, ParamSpec

from ..request import Request, Route
from ..types import Reply

if TYPE_CHECKING:
    from .client import AsyncClient

P = ParamSpec("P")
T = TypeVar("T", covariant=True)


class Group:
    """The operations of one kind of resource."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client


class Call(Generic[P, T]):
    """An operation of a client. Calling it returns the response body."""

    def __init__(self, client: AsyncClient, route: Route) -> None:
        self._client = client
        self._route = route

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return (await self.send(*args, **kwargs)).body

    async def send(self, *args: P.args, **kwargs: P.kwargs) -> Reply[T]:
        """Returns the response with status and headers."""
        return await self._client.send(self._request(args, kwargs))

    def url(self, *args: P.args, **kwargs: P.kwargs) -> str:
        return self._request(args, kwargs).url

    def _request(self, args: tuple[Any, ...], given: dict[str, Any]) -> Request:
        if args:
            raise TypeError(f"{self._route.operation} takes only named arguments.")
        return self._client.request_of(self._route, given)


class Operation(Generic[P, T]):
    """A method of a group of operations."""

    def __init__(self, route: Route, signature: Callable[Concatenate[Any, P], T]) -> None:
        self._route = route
        self.__doc__ = signature.__doc__

    def __get__(self, group: Group, owner: type[Group]) -> Call[P, T]:
        return Call(group._client, self._route)


def operation(route: Route) -> Callable[[Callable[Concatenate[Any, P], T]], Operation[P, T]]:
    return lambda signature: Operation(route, signature)
