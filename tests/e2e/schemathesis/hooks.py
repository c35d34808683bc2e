"""What schemathesis.toml cannot say."""

import os

import schemathesis


@schemathesis.serializer("application/offset+octet-stream")
def serialize_bytes(ctx, value):
    """Bodies of a content type that schemathesis does not know: the parts of an upload are bytes."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def map_query(ctx, query):
    """Most calls are made in the tenant's namespace, so that they get far; the others in made-up ones."""
    nsfilter = (query or {}).get("nsfilter")
    if isinstance(nsfilter, str) and len(nsfilter) % 4 != 0:
        query["nsfilter"] = os.environ["NAMESPACE"]
    return query
