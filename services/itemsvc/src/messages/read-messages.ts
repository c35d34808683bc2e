import { JsonRejected, NotJson, parseJson, problemOfText } from '@dtplatform/contracts';
import { CannotIngest } from './normalize.js';

/** A message as it is stored. */
export interface ReadMessage {
  /** JSON. */
  content: string;
  /** Why it can only become a dead letter. */
  failure?: CannotIngest;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads what a device sent: JSON, or any other text. A dead letter holds what is no proper JSON as text, and bytes in base64. */
export function readPayload(payload: Buffer): ReadMessage {
  const text = decode(payload);
  if (text === undefined) {
    return rejected(payload.toString('base64'), 'is not valid UTF-8. These are its bytes in base64');
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

/** A message of a request that can only become a dead letter. */
export class RejectedMessage {
  constructor(readonly read: ReadMessage) {}
}

/**
 * Reads an array of messages. Those that hold what cannot be kept are `RejectedMessage`, so that they reject no others.
 * @throws JsonRejected for what is no such array
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

/** The texts of the entries of an array. @param json valid, and an array */
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
