/** A binary frame: the request (4 bytes), the offset of its first byte in the file (8 bytes), both big-endian; then the bytes. */
const FRAME_HEADER_BYTES = 12;
/** Bytes of a file in one frame at most; no more are in the buffer of a connection at once. */
const MAX_FRAME_BYTES = 64 * 1024;

/** The frames of consecutive bytes of a file. */
export function* framesOf(requestId: number, offset: number, bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) {
    const part = bytes.subarray(at, at + MAX_FRAME_BYTES);
    const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + part.length);
    frame.writeUInt32BE(requestId, 0);
    frame.writeBigUInt64BE(BigInt(offset + at), 4);
    part.copy(frame, FRAME_HEADER_BYTES);
    yield frame;
  }
}
