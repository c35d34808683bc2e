import { z } from 'zod';

/** A header of requests or replies, as the API reference describes it. */
export interface HeaderSpec {
  name: string;
  /** One sentence. */
  description: string;
  /** Of its value. Headers of requests are validated by the handlers that read them. */
  schema: z.ZodType;
  /** Whether a call without it is refused, or a reply without it breaks its declaration. */
  required: boolean;
}

/** A header that every such request or reply has. */
export const header = (name: string, description: string, schema: z.ZodType = z.string()): HeaderSpec => ({
  ...{ name, description, schema },
  required: true,
});

/** A header that may be missing. */
export const optionalHeader = (...spec: Parameters<typeof header>): HeaderSpec => ({
  ...header(...spec),
  required: false,
});

export const locationHeader = header('Location', 'Where the created resource, or the state of the task, can be read.');
export const retryAfterHeader = header(
  'Retry-After',
  'After how many seconds the same request may succeed.',
  z.coerce.number().int().min(1),
);
export const etagHeader = optionalHeader('ETag', 'The revision of the resource, for `If-Match` and `If-None-Match`.');
export const ifMatchHeader = optionalHeader(
  'If-Match',
  'The `ETag` that the resource must still have; otherwise the call fails with a 412.',
);
export const ifNoneMatchHeader = optionalHeader(
  'If-None-Match',
  'An `ETag` that the caller already has. If the resource still has it, the reply is a 304 without a body.',
);
export const preferHeader = optionalHeader(
  'Prefer',
  '`handling=strict` makes parameters and fields that the operation does not know an error (RFC 7240); by default they are ignored.',
);
export const preferenceAppliedHeader = optionalHeader(
  'Preference-Applied',
  '`handling=strict` if the call preferred that.',
);
export const ignoredHeader = optionalHeader(
  'Ignored',
  'The names of parameters and fields that the operation does not know, percent-encoded and separated by commas, up to 1 kB.',
);
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const idempotencyKey = optionalHeader(
  'Idempotency-Key',
  'A value that the caller chooses, of up to 255 characters. Repeating the call with the same value has no further effect.',
  z.string().regex(IDEMPOTENCY_KEY),
);
export const idempotencyReplayed = optionalHeader(
  'Idempotency-Replayed',
  '`true` if this is the reply to an earlier call with the same `Idempotency-Key`.',
  z.enum(['true']),
);
