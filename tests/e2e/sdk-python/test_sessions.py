from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import BASE_URL, DEV, new_session, outside
from dtplatform import ApiError, FileStore, SessionStore, SignedOutError, SignInError, create_client, create_session


def age(store: SessionStore) -> dict[str, str]:
    """Makes the token due for renewal."""
    tokens: dict[str, str] = json.loads(store.get("tokens") or "")
    store.set("tokens", json.dumps({**tokens, "renew_at": 0}))
    return tokens


def test_use_each_refresh_token_once_in_all_threads_and_programs(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "session.json"
    one = new_session(store=FileStore(path))
    assert path.stat().st_mode & 0o077 == 0
    other = create_session(
        base_url=BASE_URL, client_id=DEV["appId"], redirect_uri=DEV["redirectUri"], store=FileStore(path)
    )
    for _ in range(2):
        before = age(FileStore(path))["access_token"]
        with ThreadPoolExecutor(8) as pool:
            tokens = set(pool.map(lambda session: session.token(), [one, other] * 4))
        assert len(tokens) == 1
        assert before not in tokens
    assert create_client(base_url=BASE_URL, auth=other).passportsvc.users.me()["_id"]


def test_replace_a_token_that_the_platform_rejects(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "session.json")
    session = new_session(store=store)
    tokens = json.loads(store.get("tokens") or "")
    head, body, signature = tokens["access_token"].split(".")
    store.set("tokens", json.dumps({**tokens, "access_token": f"{head}.{body}.{signature[1:]}{signature[0]}"}))
    assert create_client(base_url=BASE_URL, auth=session).passportsvc.users.me()["_id"]


def test_end_when_they_were_revoked(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "session.json")
    session = new_session(store=store)
    used = age(store)
    session.token()
    # Using a refresh token twice revokes the session with all of its tokens.
    store.set("tokens", json.dumps({**used, "renew_at": 0}))
    with pytest.raises(SignedOutError, match="revoked"):
        session.token()
    assert not session.is_signed_in()
    with pytest.raises(SignedOutError, match="Sign in"):
        create_client(base_url=BASE_URL, auth=session).passportsvc.users.me()


def test_reject_the_redirect_of_another_sign_in() -> None:
    app = {"base_url": BASE_URL, "client_id": DEV["appId"], "redirect_uri": DEV["redirectUri"]}
    mine, others = create_session(**app), create_session(**app)
    back = outside("sign-in", url=others.begin())
    mine.begin()
    with pytest.raises(SignInError):
        mine.complete(back)
    others.complete(back)
    with pytest.raises(SignInError):
        others.complete(back)


def test_sign_in_by_a_redirect_to_this_machine() -> None:
    session = create_session(
        base_url=BASE_URL, client_id=os.environ["LOOPBACK_APP"], redirect_uri=os.environ["LOOPBACK_URI"]
    )
    session.sign_in(lambda url: threading.Thread(target=outside, args=["visit"], kwargs={"url": url}).start())
    token = session.token()
    assert create_client(base_url=BASE_URL, auth=token).passportsvc.users.me()["_id"]
    assert "post_logout_redirect_uri=http%3A%2F%2Flocalhost%2F" in session.sign_out(return_to="http://localhost/")
    with pytest.raises(SignedOutError):
        session.token()
    with pytest.raises(ApiError, match="token"):
        create_client(base_url=BASE_URL, auth=token).passportsvc.users.me()
