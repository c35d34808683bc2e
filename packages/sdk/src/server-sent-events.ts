/** An event of a stream (HTML, "Server-sent events"). */
export interface ServerSentEvent {
  event: string;
  id?: string;
  data: string;
}

/** Returns a function that takes the text of a stream in pieces and returns the complete events. */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  let rest = '';
  return (text) => {
    // A piece may end between the two characters of a line break.
    const blocks = (rest + text).replace(/\r\n|\r(?!$)/g, '\n').split('\n\n');
    rest = blocks.pop()!;
    return blocks.map(eventOf).filter((event) => event !== undefined);
  };
}

/** Undefined for a block without data, such as a heartbeat comment. */
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
