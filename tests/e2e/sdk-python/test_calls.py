from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext

import dtplatform.aio as aio
import httpx
import pytest
from conftest import BASE_URL, DEV, Owner, unique
from dtplatform import (
    ApiError,
    NetworkError,
    WorkFailedError,
    client_credentials,
    create_client,
    paginate,
    upload,
    wait_for_run,
    wait_for_task,
    watch_run,
)


class LosesReplies(httpx.HTTPTransport):
    """The platform gets each request, but the first replies to changes get lost."""

    def __init__(self, losses: int) -> None:
        super().__init__()
        self.losses = losses
        self.keys: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if request.method in ("POST", "PUT"):
            self.keys.append(request.headers.get("idempotency-key"))
            if len(self.keys) <= self.losses:
                response.close()
                raise httpx.ReadError("lost")
        return response


def test_change_a_resource_of_the_namespace_only_if_it_is_unchanged(owner: Owner) -> None:
    [item] = owner.client.itemsvc.items.create(body=[owner.new_item()])["_list"]
    reply = owner.client.itemsvc.items.get.send(id=item["_id"])
    assert (reply.status, reply.body["_id"], item["_namespaces"]) == (200, item["_id"], [owner.namespace])
    etag = reply.headers["etag"]
    owner.client.itemsvc.items.update(id=item["_id"], if_match=etag, body=owner.change())
    with pytest.raises(ApiError) as caught:
        owner.client.itemsvc.items.update(id=item["_id"], if_match=etag, body=owner.change())
    assert caught.value.status == 412
    deleted = owner.client.itemsvc.items.delete.send(id=item["_id"])
    assert (deleted.body, wait_for_task(owner.client, deleted)) == (None, None)


def test_raise_the_errors_of_the_platform_of_scim_and_of_oauth(owner: Owner) -> None:
    with pytest.raises(ApiError) as caught:
        owner.client.filesvc.files.list(params={"_pageSize": "many"})
    error = caught.value
    assert (error.status, error.code, error.details[0]["location"]) == (400, "BAD_REQUEST", "query._pageSize")
    assert error.request_id
    assert "query._pageSize: " in str(error)
    with pytest.raises(ApiError) as caught:
        owner.client.passportsvc.users.get(id="f" * 24)
    assert (caught.value.status, caught.value.code) == (403, "HTTP_403")
    with pytest.raises(ApiError) as caught:
        client_credentials(base_url=BASE_URL, client_id=DEV["appId"], client_secret="wrong").token()
    assert (caught.value.status, caught.value.code) == (401, "INVALID_CLIENT")


def test_list_only_the_namespace_of_the_client(owner: Owner) -> None:
    other = owner.client.passportsvc.workspaces.create(body=[{"_name": "Other", "_shortName": unique()}])
    elsewhere = owner.client.in_(other["_list"][0]["_namespaces"][0])
    file = upload(elsewhere, name=unique(), content=b"content")
    assert [each["_id"] for each in elsewhere.filesvc.files.list()["_list"]] == [file["_id"]]
    assert file["_id"] not in [each["_id"] for each in owner.client.filesvc.files.list(_pageSize=1000)["_list"]]
    all = owner.client.filesvc.files.list(_namespaces=[], _pageSize=1000)
    assert file["_id"] in [each["_id"] for each in all["_list"]]


def test_iterate_over_all_pages(owner: Owner) -> None:
    created = owner.client.itemsvc.items.create(body=[owner.new_item("Page") for _ in range(7)])["_list"]
    listed = [item["_id"] for item in paginate(owner.client.itemsvc.items.list, query={"_name": "Page"}, _pageSize=3)]
    assert sorted(listed) == sorted(item["_id"] for item in created)


def test_retry_with_the_same_idempotency_key(owner: Owner) -> None:
    transport = LosesReplies(losses=2)
    client = owner.through(http=httpx.Client(transport=transport))
    client.itemsvc.items.create(body=[owner.new_item("Once")])
    assert len(transport.keys) == 3
    assert len(set(transport.keys)) == 1
    assert transport.keys[0]
    assert owner.client.itemsvc.items.list(query={"_name": "Once"})["_total"] == 1


def test_do_not_retry_what_could_take_effect_twice(owner: Owner) -> None:
    [item] = owner.client.itemsvc.items.create(body=[owner.new_item()])["_list"]
    etag = owner.client.itemsvc.items.get.send(id=item["_id"]).headers["etag"]
    transport = LosesReplies(losses=1)
    client = owner.through(http=httpx.Client(transport=transport))
    with pytest.raises(NetworkError):
        client.itemsvc.items.update(id=item["_id"], if_match=etag, body=owner.change())
    assert len(transport.keys) == 1


@pytest.mark.parametrize(
    ("status", "retry_after", "calls"), [(503, "0", 3), (429, "0", 3), (503, "61", 1), (500, None, 1), (409, "0", 3)]
)
def test_retry_when_the_platform_asks_for_it(status: int, retry_after: str | None, calls: int) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if len(seen) == 3:
            return httpx.Response(200, json={"_list": []})
        return httpx.Response(status, headers={"Retry-After": retry_after} if retry_after else {})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    client = create_client(base_url="https://twins.example.com", namespace="tower_1", http=http)
    with nullcontext() if calls == 3 else pytest.raises(ApiError):
        client.itemsvc.items.create(body=[])
    assert len(seen) == calls


def test_reject_arguments_that_would_call_something_else(owner: Owner) -> None:
    with pytest.raises(TypeError, match="requires id"):
        owner.client.filesvc.files.get(id="..")
    with pytest.raises(TypeError, match="no parameter idd"):
        owner.client.filesvc.files.get(id="1", idd="2")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="requires a namespace"):
        create_client(base_url=BASE_URL).filesvc.files.list()
    with pytest.raises(ValueError, match="is not the platform"):
        owner.client.open("https://elsewhere.example/file")


def test_wait_for_accepted_work(owner: Owner) -> None:
    [item] = owner.client.itemsvc.items.create(body=[owner.new_item()])["_list"]
    entries = [{"_sourceId": f"s{index}", "number": index} for index in range(1500)]
    reply = owner.client.itemsvc.related_items.create_many.send(id=item["_id"], body=entries)
    seen: list[str] = []
    task = wait_for_task(owner.client, reply, on_progress=lambda task: seen.append(task["_status"]))
    assert task
    assert (task["_status"], seen[-1]) == ("COMPLETED", "COMPLETED")


def start_run(owner: Owner, ms: int) -> str:
    step = {"_orchcomp": "wait", "_sequenceno": 1, "_name": "wait", "_actualparams": {"ms": ms}}
    orchestrator = owner.client.datasourcesvc.orchestrators.create(
        body=json.loads(json.dumps({"_name": unique(), "_namespaces": [owner.namespace], "_params": {"tasks": [step]}}))
    )
    return owner.client.datasourcesvc.orchestrators.run(id=orchestrator["id"], body={})["id"]


def test_wait_for_a_run(owner: Owner) -> None:
    seen: list[str] = []
    run = wait_for_run(owner.client, start_run(owner, 300), on_progress=lambda run: seen.append(run["_status"]))
    assert (run["_status"], seen[-1]) == ("COMPLETED", "COMPLETED")


def test_raise_when_a_run_is_cancelled(owner: Owner) -> None:
    id = start_run(owner, 60_000)
    seen: list[str] = []
    for run in watch_run(owner.client, id):
        seen.append(run["_status"])
        if run["_status"] == "RUNNING":
            owner.client.datasourcesvc.runs.cancel(id=id)
    assert seen[-1] == "CANCELLED"
    with pytest.raises(WorkFailedError):
        wait_for_run(owner.client, id)


def test_the_asynchronous_client_does_the_same(owner: Owner) -> None:
    async def work() -> None:
        auth = aio.client_credentials(base_url=BASE_URL, client_id=DEV["appId"], client_secret=DEV["appSecret"])
        tokens = await asyncio.gather(*(auth.token() for _ in range(3)))
        assert len(set(tokens)) == 1
        async with aio.create_client(base_url=BASE_URL, auth=auth) as app:
            assert len((await app.passportsvc.apps.list(_pageSize=1))["_list"]) == 1
        token = owner.session.token()
        async with aio.create_client(base_url=BASE_URL, auth=token, namespace=owner.namespace) as client:
            await client.itemsvc.items.create(body=[owner.new_item("Async") for _ in range(3)])
            items = aio.paginate(client.itemsvc.items.list, query={"_name": "Async"}, _pageSize=2)
            assert len([item async for item in items]) == 3
            assert (await aio.wait_for_run(client, start_run(owner, 10)))["_status"] == "COMPLETED"
            file = await aio.upload(client, name=unique(), content=b"content")
            assert await aio.download_bytes(client, id=file["_id"]) == b"content"

    asyncio.run(work())
