import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { format, parse } from 'content-type';
import type { Precondition } from '@dtplatform/contracts';

/** A header of requests or responses, as described in the API reference. */
export interface HeaderSpec {
  name: string;
  /** One sentence. */
  description: string;
  /** Schema of the value. Handlers validate request headers themselves. */
  schema: z.ZodType;
  /** Whether a request without it is rejected; whether a response without it violates its declaration. */
  required: boolean;
}

export const header = (name: string, description: string, schema: z.ZodType = z.string()): HeaderSpec => ({
  ...{ name, description, schema },
  required: true,
});

export const optionalHeader = (...spec: Parameters<typeof header>): HeaderSpec => ({
  ...header(...spec),
  required: false,
});

export const locationHeader = header('Location', 'The path of the created resource or of the state of the task.');
export const retryAfterHeader = header(
  'Retry-After',
  'The number of seconds after which to retry.',
  z.coerce.number().int().min(1),
);
export const etagHeader = optionalHeader('ETag', 'The revision of the resource, for `If-Match` and `If-None-Match`.');
export const ifMatchHeader = optionalHeader(
  'If-Match',
  'The expected `ETag` of the resource; if it has changed, the call fails with a 412.',
);
export const ifNoneMatchHeader = optionalHeader(
  'If-None-Match',
  'An `ETag` that the caller already has. If the resource still has it, the response is a 304 without a body.',
);
export const preferHeader = optionalHeader(
  'Prefer',
  '`handling=strict` rejects parameters and fields that the operation does not know (RFC 7240); by default they are ignored.',
);
export const preferenceAppliedHeader = optionalHeader(
  'Preference-Applied',
  '`handling=strict` if the request preferred it.',
);
export const ignoredHeader = optionalHeader(
  'Ignored',
  'The names of parameters and fields that the operation does not know, percent-encoded and separated by commas, up to 1 kB.',
);
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const idempotencyKey = optionalHeader(
  'Idempotency-Key',
  'A value of up to 255 characters, chosen by the caller. Retrying the call with the same value has no further effect.',
  z.string().regex(IDEMPOTENCY_KEY),
);
export const idempotencyReplayed = optionalHeader(
  'Idempotency-Replayed',
  '`true` if this is the response to an earlier call with the same `Idempotency-Key`.',
  z.enum(['true']),
);

const REVISION = /^"(\d{1,15})"$/;

/** The ETag of a resource (RFC 9110, section 8.8.3): its stored revision, which every write raises. */
export const etagOf = (revision: number): string => `"${revision}"`;

/** Whether `If-None-Match` of a GET or HEAD matches (RFC 9110, section 13.1.2). */
export function isNotModified({ method, headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  if (!known || (method !== 'GET' && method !== 'HEAD')) return false;
  return known === '*' || tagsIn(known).some((tag) => opaque(tag) === opaque(etag));
}

/** The revisions that `If-Match` permits; undefined for any. Weak tags match none (RFC 9110, section 13.1.1). */
export function preconditionOf({ headers }: Pick<IncomingMessage, 'headers'>): Precondition {
  const expected = headers['if-match'];
  if (!expected || expected === '*') return undefined;
  return tagsIn(expected)
    .flatMap((tag) => REVISION.exec(tag)?.[1] ?? [])
    .map(Number);
}

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim());

const opaque = (tag: string) => tag.replace(/^W\//, '');

/** The media type in lower case without parameters; empty if the header is missing. */
export const mediaTypeOf = (header: string | undefined): string => parse(header ?? '', { parameters: false }).type;

/**
 * Quotes the parameters of a `Content-Type` as in RFC 9110, section 5.6.6, because form parsers disagree about other
 * forms. A malformed header stays unchanged.
 */
export function normalizedContentType(header: string): string {
  try {
    return format(parse(header));
  } catch {
    return header;
  }
}

/** An `Accept` header without media type parameters other than weights. */
export const withoutParameters = (accept: string): string =>
  accept
    .split(',')
    .map((range) => {
      const [type, ...parameters] = range.split(';');
      return [type, ...parameters.filter((parameter) => /^\s*q\s*=/i.test(parameter))].join(';');
    })
    .join(',');
