import { isDeepStrictEqual } from 'node:util';
import { dev } from '../support/platform.js';
import { type Input, MARK } from './inputs.js';
import type { Place, RawRequest } from './places.js';

const TIMEOUT_MS = 30_000;

export interface RawResponse {
  status: number;
  type: string;
  location: string;
  text: string;
}

/** Sends a request unchanged. */
export async function sendRaw({ method, url, headers, body }: RawRequest, token?: string): Promise<RawResponse> {
  const response = await fetch(new URL(dev.baseUrl).origin + url, {
    ...{ method, body, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) },
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  const [type, location] = ['content-type', 'location'].map((name) => response.headers.get(name) ?? '');
  return { status: response.status, type: type!, location: location!, text: await response.text() };
}

/** Texts of programs, paths and databases, which no response may contain. */
const INTERNALS =
  /\n\s+at .+:\d+|node_modules|\/dist\/|\/src\/|Mongo(Server|Driver|Network)|BSON|E11000|ECONNREFUSED|ReplyError/;

/** The problem of a response; undefined if there is none. */
export function problemOf(place: Place, input: Input, { status, type, text }: RawResponse): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  if (status === 401 && place.operation.security === undefined) return 'the token is no longer accepted';
  if (status < 400) {
    if (mustBeRejected(input, place)) return `accepted with ${status}`;
    return differs(place, input, type, text);
  }
  if (INTERNALS.test(text)) return `${status} shows internals: ${text.slice(0, 300)}`;
  if (text.includes(MARK)) return `${status} echoes what was sent: ${text.slice(0, 300)}`;
  if (type.includes('json') && !isError(text)) return `${status} in another form: ${text.slice(0, 300)}`;
  return undefined;
}

/**
 * Whether a call cannot succeed. Pages require a sign-in before they read anything; irrelevant headers are ignored; a
 * device message that cannot be stored becomes a dead letter.
 */
export const mustBeRejected = ({ verdict }: Input, { in: where, operation }: Place): boolean =>
  verdict === 'refused' &&
  where !== 'header' &&
  operation.security === undefined &&
  operation.operationId !== 'messages.create';

function isError(text: string): boolean {
  if (text === '') return true;
  const { status, code, schemas, error } = JSON.parse(text) as Record<string, unknown>;
  return (
    (typeof code === 'string' && typeof status === 'number') || Array.isArray(schemas) || typeof error === 'string'
  );
}

/** Fields whose value the platform changes, for reasons in docs/contract.md. */
const CHANGED =
  /(^|\.)(_namespaces|_tags|_parents|userName|password|_secret|clientSecret|schemas|_ts|_checksum|startIndex|count)(\.|$)/;
/** A text in place of an attribute with parts is its `value`. */
const WITH_PARTS =
  /(^|\.)(emails|phoneNumbers|ims|photos|addresses|entitlements|roles|x509Certificates|manager)(\.0)?$/;

/** Stored without surrounding spaces. */
const isTrimmed = ({ operation: { operationId }, name }: Place) =>
  /^(apps|organizations|users)\./.test(operationId) && /(^|\.)(_name|emails\.0\.value)$/.test(name);

/** A field of the response whose value differs from the sent one. */
function differs(place: Place, { verdict, json }: Input, type: string, text: string) {
  const { in: where, steps, name } = place;
  if (verdict !== 'kept' || where !== 'body' || !type.includes('json') || CHANGED.test(name) || WITH_PARTS.test(name))
    return undefined;
  // -0 is returned as 0.
  const parsed: unknown = JSON.parse(JSON.stringify(JSON.parse(json!.toString())));
  const sent = isTrimmed(place) && typeof parsed === 'string' ? parsed.trim() : parsed;
  const shown = shownAt(
    JSON.parse(text),
    steps.map(({ key }) => key),
  );
  if (shown === undefined || isDeepStrictEqual(shown, sent)) return undefined;
  return `sent ${json!.toString().slice(0, 100)}, got ${JSON.stringify(shown).slice(0, 100)}`;
}

function shownAt(reply: unknown, keys: (string | 0)[]): unknown {
  const { _list } = reply as { _list?: unknown };
  const first = Array.isArray(reply) ? reply[0] : Array.isArray(_list) ? _list[0] : reply;
  const path = keys[0] === 0 ? keys.slice(1) : keys;
  return path.length === 0
    ? undefined
    : path.reduce<unknown>(
        (value, key) => (value as Record<string | number, unknown> | undefined)?.[key] ?? undefined,
        first,
      );
}
