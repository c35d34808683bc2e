/** An event of a stream (HTML, "Server-sent events"). */
export interface ServerSentEvent {
  event: string;
  id?: string;
  data: string;
}

/** Takes the text of a stream, cut anywhere, and returns the events that are complete. */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  let rest = '';
  return (text) => {
    // A line break of two characters may be cut between them.
    const blocks = (rest + text).replace(/\r\n|\r(?!$)/g, '\n').split('\n\n');
    rest = blocks.pop()!;
    return blocks.map(eventOf).filter((event) => event !== undefined);
  };
}

/** Undefined for a block without data, such as a comment that keeps the connection open. */
function eventOf(block: string): ServerSentEvent | undefined {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, [...(fields.get(name) ?? []), value ?? '']);
  }
  const data = fields.get('data');
  return (
    data && { event: fields.get('event')?.at(-1) ?? 'message', id: fields.get('id')?.at(-1), data: data.join('\n') }
  );
}
