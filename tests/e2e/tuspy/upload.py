"""Uploads a file with tuspy: upload.py <url> <token> <file> <chunk size> [<stop at>]. Prints the offset that it reached."""

import sys

from tusclient import client

url, token, file, chunk_size, *stop_at = sys.argv[1:]
tus = client.TusClient(url, headers={"Authorization": f"Bearer {token}"})
uploader = tus.uploader(file, url=url, chunk_size=int(chunk_size), retries=3, retry_delay=1)
uploader.upload(stop_at=int(stop_at[0]) if stop_at else None)
print(uploader.offset)
