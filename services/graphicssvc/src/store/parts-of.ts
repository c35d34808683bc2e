/**
 * Cuts a stream of bytes into parts of one size; the last may be shorter. Reads on only when the next part is asked for, so
 * no more than one part is held here.
 */
export async function* partsOf(stream: AsyncIterable<Buffer>, partBytes: number): AsyncGenerator<Buffer[], void> {
  let part: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let rest = chunk;
    while (length + rest.length >= partBytes) {
      const cut = partBytes - length;
      yield [...part, rest.subarray(0, cut)];
      part = [];
      length = 0;
      rest = rest.subarray(cut);
    }
    if (rest.length > 0) {
      part.push(rest);
      length += rest.length;
    }
  }
  if (length > 0) yield part;
}
