import { JsonRefused, NotJson, parseJson, problemOfText } from '@dtplatform/contracts';
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
    return refused(payload.toString('base64'), 'is not valid UTF-8. These are its bytes in base64');
  }
  try {
    return { content: JSON.stringify(parseJson(payload)) };
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    const problem = error instanceof NotJson ? problemOfText(text) : error.message;
    return problem ? refused(text, problem) : { content: JSON.stringify(text) };
  }
}

const refused = (text: string, problem: string): ReadMessage => ({
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
