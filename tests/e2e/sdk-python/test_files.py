from __future__ import annotations

import io
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Owner, eventually, outside, unique
from dtplatform import (
    DiskError,
    NetworkError,
    UploadInterruptedError,
    download_bytes,
    download_to_file,
    upload,
    upload_from_file,
)

MIB = 1024 * 1024
PROXY = os.environ["PROXY"]


def cut_at(*limits: int, mend: bool = False) -> Callable[[int, int], None]:
    """Cuts the connection of a transfer each time that it passes a limit."""
    ahead = list(limits)

    def on_progress(done: int, _: int) -> None:
        if ahead and done > ahead[0]:
            del ahead[0]
            outside("cut")
            if mend:
                outside("mend")

    return on_progress


@pytest.mark.parametrize("size", [0, 1, 3 * MIB + 1])
def test_upload_and_download(owner: Owner, size: int) -> None:
    content = os.urandom(size)
    progress = [0]
    file = upload(
        owner.client, name=unique(), content=io.BytesIO(content), on_progress=lambda sent, _: progress.append(sent)
    )
    assert (file["_status"], progress[-1]) == ("UPLOAD_COMPLETED", size)
    assert download_bytes(owner.client, id=file["_id"]) == content


def test_resume_an_upload_without_sending_stored_bytes_again(owner: Owner, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(os.urandom(24 * MIB))
    ids: list[str] = []
    parts: list[int] = []

    def stored() -> int:
        head = owner.client.filesvc.uploads.progress.send(id=ids[0], uploadType="resumable")
        return int(head.headers["upload-offset"])

    def on_progress(sent: int, _: int) -> None:
        parts.append(sent)
        if sent == 20 * MIB and parts.count(sent) == 1:
            eventually(lambda: stored() >= 8 * MIB)
            outside("cut")
            outside("mend")

    file = upload_from_file(
        owner.through(PROXY), tmp_path / "source", name=unique(), on_start=ids.append, on_progress=on_progress
    )
    assert (file["_status"], parts[-1]) == ("UPLOAD_COMPLETED", 24 * MIB)
    repeated = [sent for before, sent in pairwise(parts) if sent <= before]
    assert all(sent > 8 * MIB for sent in repeated)


def test_resume_an_abandoned_upload(owner: Owner) -> None:
    content, name = os.urandom(12 * MIB), unique()
    proxied = owner.through(PROXY, retries=0)
    with pytest.raises(UploadInterruptedError) as caught:
        upload(proxied, name=name, content=content, retries=0, on_progress=cut_at(9 * MIB))
    outside("mend")
    file = upload(owner.client, name=name, content=content, resume=caught.value.file_id)
    assert (file["_id"], file["_status"]) == (caught.value.file_id, "UPLOAD_COMPLETED")
    assert download_bytes(owner.client, id=file["_id"]) == content


def test_follow_a_link_to_another_file(owner: Owner, tmp_path: Path) -> None:
    file = upload(owner.client, name=unique(), content=b"content")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "target").write_bytes(b"before")
    download_to_file(owner.client, str(tmp_path / "link"), id=file["_id"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"content"
    with pytest.raises(DiskError, match="not a file"):
        download_to_file(owner.client, "/dev/null", id=file["_id"])


@pytest.fixture(scope="module")
def large(owner: Owner) -> tuple[str, bytes]:
    """More than socket buffers, so that a cut loses something."""
    content = os.urandom(24 * MIB)
    return upload(owner.client, name=unique(), content=content)["_id"], content


def test_resume_a_download(owner: Owner, large: tuple[str, bytes], tmp_path: Path) -> None:
    id, content = large
    cut = cut_at(2 * MIB, 9 * MIB, mend=True)
    download_to_file(owner.through(PROXY), str(tmp_path / "copy"), id=id, on_progress=cut)
    assert (tmp_path / "copy").read_bytes() == content


def test_resume_a_download_of_an_earlier_call(owner: Owner, large: tuple[str, bytes], tmp_path: Path) -> None:
    id, content = large
    target = str(tmp_path / "copy")
    with pytest.raises(NetworkError):
        download_to_file(owner.through(PROXY), target, id=id, retries=0, on_progress=cut_at(3 * MIB))
    outside("mend")
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    received: list[int] = []
    download_to_file(owner.client, target, id=id, on_progress=lambda done, _: received.append(done))
    assert received[0] > 3 * MIB
    assert (tmp_path / "copy").read_bytes() == content
    assert len(list(tmp_path.iterdir())) == 1
