"""Event streams (HTML, "Server-sent events")."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerSentEvent:
    event: str
    id: str | None
    data: str


class EventParser:
    """Takes the lines of a stream."""

    def __init__(self) -> None:
        self._fields: dict[str, list[str]] = {}

    def feed(self, line: str) -> ServerSentEvent | None:
        """The event that an empty line completes; None for a block without data, such as a heartbeat comment."""
        if line:
            name, _, value = line.partition(":")
            self._fields.setdefault(name, []).append(value.removeprefix(" "))
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        return ServerSentEvent(
            event=fields.get("event", ["message"])[-1], id=fields.get("id", [None])[-1], data="\n".join(fields["data"])
        )
