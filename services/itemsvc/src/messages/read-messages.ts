import { JsonRejected, NotJson, parseJson, problemOfText } from '@dtplatform/contracts';
import { CannotIngest } from './normalize.js';

export interface ReadMessage {
  /** JSON. */
  content: string;
  /** Why the message becomes a dead letter immediately. */
  failure?: CannotIngest;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a device's payload, JSON or plain text. Rejected JSON is kept as text, and invalid UTF-8 as base64. */
export function readPayload(payload: Buffer): ReadMessage {
  const text = decode(payload);
  if (text === undefined) {
    return rejected(payload.toString('base64'), 'is not valid UTF-8. Its bytes in base64');
  }
  try {
    return { content: JSON.stringify(parseJson(payload)) };
  } catch (error) {
    if (!(error instanceof JsonRejected)) throw error;
    const problem = error instanceof NotJson ? problemOfText(text) : error.message;
    return problem ? rejected(text, problem) : { content: JSON.stringify(text) };
  }
}

const rejected = (text: string, problem: string): ReadMessage => ({
  content: JSON.stringify(text),
  failure: new CannotIngest('MESSAGE_NOT_VALID', `The message ${problem}.`),
});

function decode(payload: Buffer): string | undefined {
  try {
    return utf8.decode(payload);
  } catch {
    return undefined;
  }
}

/** An invalid message of a request, which becomes a dead letter. */
export class RejectedMessage {
  constructor(readonly read: ReadMessage) {}
}

/**
 * Parses an array of messages. Invalid messages become `RejectedMessage`, so that the valid ones are accepted.
 * @throws JsonRejected unless the body is a JSON array
 */
export function readMessages(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    const isOneEntry = error instanceof JsonRejected && typeof error.path[0] === 'number';
    if (!isOneEntry) throw error;
    return entriesOf(body.toString()).map(readEntry);
  }
}

function readEntry(text: string): unknown {
  const read = readPayload(Buffer.from(text.trim()));
  return read.failure ? new RejectedMessage(read) : JSON.parse(read.content);
}

/** The source texts of an array's elements. @param json a valid array */
function entriesOf(json: string): string[] {
  const entries: string[] = [];
  let [depth, start, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!;
    if (char === '"') isText = !isText;
    else if (isText) at += char === '\\' ? 1 : 0;
    else if ('[{'.includes(char)) start = ++depth === 1 ? at + 1 : start;
    else if (']}'.includes(char)) depth--;
    const isEnd = !isText && (depth === 0 ? char === ']' : depth === 1 && char === ',');
    if (!isEnd) continue;
    entries.push(json.slice(start, at));
    start = at + 1;
  }
  return entries;
}
