"""Bodies of content types that schemathesis does not know: the parts of an upload are bytes."""

import schemathesis


@schemathesis.serializer("application/offset+octet-stream")
def serialize_bytes(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()
