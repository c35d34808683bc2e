import { JsonRefused, parseJson } from '@dtplatform/contracts';
import { readPayload } from './read-payload.js';
import type { ReadMessage } from './read-payload.js';

/** A message of a request that can only become a dead letter. */
export class RefusedMessage {
  constructor(readonly read: ReadMessage) {}
}

/**
 * Reads an array of messages. Those that hold what cannot be kept are `RefusedMessage`, so that they refuse no others.
 * @throws JsonRefused for what is no such array
 */
export function readMessages(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    const isOneEntry = error instanceof JsonRefused && typeof error.path[0] === 'number';
    if (!isOneEntry) throw error;
    return entriesOf(body.toString()).map(readEntry);
  }
}

function readEntry(text: string): unknown {
  const read = readPayload(Buffer.from(text.trim()));
  return read.failure ? new RefusedMessage(read) : JSON.parse(read.content);
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
