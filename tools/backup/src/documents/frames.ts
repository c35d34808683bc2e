const LENGTH_BYTES = 4;
/** MongoDB's limit of 16 MiB, plus its allowance for internal commands. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024;

/** Splits a stream of BSON documents, as mongodump writes them. @throws if it ends inside a document */
export async function* documentsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let wanted = LENGTH_BYTES;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) continue;
    let rest = Buffer.concat(waiting);
    for (;;) {
      wanted = rest.length < LENGTH_BYTES ? LENGTH_BYTES : lengthOf(rest);
      if (rest.length < wanted || rest.length < LENGTH_BYTES) break;
      yield rest.subarray(0, wanted);
      rest = rest.subarray(wanted);
    }
    waiting = [rest];
    bytes = rest.length;
  }
  if (bytes > 0) throw new Error('the dump ends inside a document');
}

function lengthOf(bytes: Buffer): number {
  const length = bytes.readInt32LE(0);
  if (length < LENGTH_BYTES + 1 || length > MAX_DOCUMENT_BYTES) throw new Error('the dump is not BSON');
  return length;
}
