"""What is sent for a call, without sending it."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

OPTIONS = ("timeout", "retries", "idempotency_key", "headers", "params")


@dataclass(frozen=True)
class Form:
    """A multipart form. Each file is a name and its content: bytes, or a file that can be rewound."""

    fields: Mapping[str, str | list[str]]
    files: Sequence[tuple[str, Any]] = ()


@dataclass(frozen=True)
class Route:
    """An operation: its URL template, and the parameters by their names in the reference."""

    operation: str
    method: str
    path: str
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    #: The query parameter that names the namespace.
    namespace: str | None = None
    #: The query parameter that limits a list to namespaces.
    namespace_filter: str | None = None
    takes_key: bool = False
    #: A POST that changes nothing.
    reads: bool = False
    #: The media type of bodies that are neither forms nor bytes.
    media: str = "application/json"


@dataclass(frozen=True)
class Request:
    """A request, with the properties that determine whether it is retried."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    #: A function returns an iterable of bytes for each attempt.
    body: bytes | Form | Callable[[], Any] | None = None
    reads: bool = False
    timeout: float | None = None
    retries: int | None = None


def base_of(base_url: str) -> str:
    """The base URL without trailing slashes."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("base_url must be an http(s) URL.")
    return base_url.rstrip("/")


def url_within(base_url: str, path: str) -> str:
    """Raises ValueError for a URL of another host, which must not get the token."""
    url = urljoin(f"{base_url}/", path)
    own, other = urlsplit(base_url), urlsplit(url)
    if (own.scheme, own.netloc) != (other.scheme, other.netloc):
        raise ValueError(f"{other.scheme}://{other.netloc} is not the platform.")
    return url


def python_name(name: str) -> str:
    """The argument for a parameter of the reference: `_user._id` is `_user_id`."""
    return re.sub(r"\W+_?", "_", name)


def request_of(route: Route, base_url: str, namespace: str | None, strict: bool, given: Mapping[str, Any]) -> Request:
    """Raises TypeError for arguments that are missing or unknown."""
    rest = {name: value for name, value in given.items() if value is not None}
    options = {name: rest.pop(name, None) for name in OPTIONS}
    body, headers = _encode(route, rest.pop("body", None))
    path = _fill_path(route, rest)
    query = _take(rest, route.query, str)
    headers |= _take(rest, route.headers, str.lower)
    if rest:
        raise TypeError(f"{route.operation} has no parameter {', '.join(rest)}.")
    query = _with_namespace(route, query, namespace)
    if route.takes_key:
        headers["Idempotency-Key"] = options["idempotency_key"] or secrets.token_urlsafe(32)
    if strict:
        headers["Prefer"] = "handling=strict"
    return Request(
        method=route.method,
        url=base_url + path + _query_of(query | dict(options["params"] or {})),
        headers={name: str(value) for name, value in (headers | dict(options["headers"] or {})).items()},
        body=body,
        reads=route.reads,
        timeout=options["timeout"],
        retries=options["retries"],
    )


def _with_namespace(route: Route, query: dict[str, Any], of_client: str | None) -> dict[str, Any]:
    name, filter = route.namespace, route.namespace_filter
    namespace = query.get(name or "", of_client)
    if name is not None and namespace is None:
        raise TypeError(f"{route.operation} requires a namespace: pass {name}, or set the client's.")
    given = {} if name is None else {name: namespace}
    # A client without a namespace lists all of them.
    limit = {} if filter is None or of_client is None else {filter: query.get(filter, namespace)}
    return query | given | limit


def _take(given: dict[str, Any], names: Sequence[str], case: Callable[[str], str]) -> dict[str, Any]:
    arguments = {name: case(python_name(name)) for name in names}
    return {name: given.pop(argument) for name, argument in arguments.items() if argument in given}


def _fill_path(route: Route, given: dict[str, Any]) -> str:
    def fill(match: re.Match[str]) -> str:
        value = str(given.pop(match[1], ""))
        # An empty value, or dots, would lead to another operation.
        if value in ("", ".", ".."):
            raise TypeError(f"{route.operation} requires {match[1]}.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", fill, route.path)


def _query_of(values: Mapping[str, Any]) -> str:
    """Lists repeat the parameter; objects, such as filters, become JSON."""
    pairs = [
        (name, each if isinstance(each, str) else json.dumps(each))
        for name, value in values.items()
        for each in (value if isinstance(value, (list, tuple)) else [value])
        if each is not None
    ]
    return f"?{urlencode(pairs)}" if pairs else ""


def _encode(route: Route, body: Any) -> tuple[bytes | Form | None, dict[str, Any]]:
    """Forms and bytes are sent unchanged, everything else in the media type of the operation."""
    if body is None or isinstance(body, Form):
        return body, {}
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body), {"Content-Type": "application/offset+octet-stream"}
    is_form = route.media == "application/x-www-form-urlencoded"
    text = urlencode(body) if is_form else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode(), {"Content-Type": route.media}
