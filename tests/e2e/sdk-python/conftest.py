from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from dtplatform import Client, Session, create_client, create_session
from dtplatform.schemas import ItemChange, NewItem

DEV = json.loads(Path(os.environ["DEV_JSON"]).read_text())
BASE_URL: str = DEV["baseUrl"]
OUTSIDE = httpx.Client(base_url=os.environ["OUTSIDE"], timeout=30)


def outside(action: str, **given: str) -> str:
    """Asks the program that started the tests: to sign in as a browser, or to cut connections of the proxy."""
    return OUTSIDE.post(action, params=given).raise_for_status().text


def unique() -> str:
    return f"n{secrets.token_hex(5)}"


def eventually(is_met: Callable[[], bool], seconds: float = 60) -> None:
    """Checks a condition until it is met."""
    deadline = monotonic() + seconds
    while not is_met():
        assert monotonic() < deadline, "The condition was not met in time."
        sleep(0.05)


def new_session(**more: Any) -> Session:
    """A session that a user has signed in to."""
    session = create_session(base_url=BASE_URL, client_id=DEV["appId"], redirect_uri=DEV["redirectUri"], **more)
    session.complete(outside("sign-in", url=session.begin()))
    return session


@dataclass
class Owner:
    """A user with a workspace."""

    session: Session
    client: Client
    namespace: str

    def through(self, base_url: str = BASE_URL, **more: Any) -> Client:
        return create_client(base_url=base_url, auth=self.session, namespace=self.namespace, **more)

    def new_item(self, name: str = "Rooms") -> NewItem:
        return {
            "_name": name,
            "_shortName": unique(),
            "_description": "",
            "_userType": "rooms",
            "_namespaces": [self.namespace],
            "_itemClass": "NamedUserCollection",
        }

    def change(self) -> ItemChange:
        return {"_name": "Changed", "_description": "", "_userType": "rooms", "_namespaces": [self.namespace]}


@pytest.fixture(scope="session")
def owner() -> Iterator[Owner]:
    session = new_session()
    with create_client(base_url=BASE_URL, auth=session) as client:
        workspaces = client.passportsvc.workspaces.create(body=[{"_name": "Python", "_shortName": unique()}])
        namespace = workspaces["_list"][0]["_namespaces"][0]
        yield Owner(session, client.in_(namespace), namespace)
