import { z } from 'zod';
import { isoToMs } from '@dtplatform/contracts';
import type { Projection } from '../query/parse-query.js';
import { withoutPlatform } from '../query/paths.js';

/** MongoDB's time-series collections are only efficient for this range. */
const END_MS = Date.UTC(2038, 0, 1);

/**
 * A time from 1970 to 2037: milliseconds since 1970, or ISO 8601, in UTC unless it has an offset. Undefined for
 * anything else.
 */
export function parseTimestamp(value: number | string): Date | undefined {
  const ms = typeof value === 'number' ? Math.floor(value) : isoToMs(value);
  return ms >= 0 && ms < END_MS ? new Date(ms) : undefined;
}

/** Per request. */
export const MAX_READINGS = 10_000;
const MAX_FIELDS = 100;
const MAX_DEPTH = 8;
const MAX_NAME_LENGTH = 128;

/** Bytes of a stored reading. MongoDB stores the minimum and maximum of each bucket in addition to its values. */
export const MAX_READING_BYTES = 64 * 1024;

const Timestamp = z
  .union([z.number(), z.string().max(64)])
  .transform(
    (value, context) => parseTimestamp(value) ?? (context.addIssue('must be a time from 1970 to 2037'), z.NEVER),
  );

const Id = z.string().min(1).max(128);

const SOURCE_ID = 'The `_sourceId` of the telemetry item.';
const TEL_ITEM_ID = 'The `_id` of the telemetry item.';

const Source = z
  .object({
    _sourceId: Id.optional().describe(`${SOURCE_ID} Required unless \`_telItemId\` is sent.`),
    _telItemId: Id.optional().describe(TEL_ITEM_ID),
  })
  .refine(({ _sourceId, _telItemId }) => _sourceId ?? _telItemId, 'requires _sourceId or _telItemId')
  .describe('The telemetry item that the reading belongs to: by its `_id`, by its `_sourceId`, or by both.');

/** A reading as callers send it: a time, a telemetry item, and values with any names. */
export const NewReading = withoutPlatform(
  z.looseObject({
    _ts: Timestamp.describe(
      'The time of the reading, from 1970 to 2037: ISO 8601, in UTC unless it has an offset, or milliseconds since 1970.',
    ),
    _tsMetadata: Source,
  }),
)
  .superRefine((reading, context) => {
    const problem = problemOf(reading);
    if (problem) context.addIssue(problem);
  })
  .meta({
    id: 'NewReading',
    description: `A reading to store, of at most 64 KiB. All other fields are values: up to ${MAX_FIELDS} in total, nested up to ${MAX_DEPTH} levels, with names without dots and dollar signs.`,
  });
export type NewReading = z.infer<typeof NewReading>;

/** The metadata of a bucket of readings. It determines who may see them. */
export interface StoredSource {
  _itemId: string;
  _versionId: string;
  _telItemId: string;
  _sourceId: string;
  /** When its bucket is removed; null if it never expires. */
  _until: Date | null;
}

export interface PlacedReading {
  ts: Date;
  source: { _telItemId: string; _sourceId: string };
  values: Record<string, unknown>;
}

export const ShownReading = z
  .looseObject({
    _id: z.string().optional().describe('The id of the reading; aggregated readings have none.'),
    _ts: z.string().optional().describe('The time of the reading, or the start of the interval; ISO 8601 in UTC.'),
    _tsMetadata: z
      .object({ _sourceId: z.string().describe(SOURCE_ID), _telItemId: z.string().describe(TEL_ITEM_ID) })
      .partial()
      .optional()
      .describe('The telemetry item that the reading belongs to.'),
  })
  .meta({
    id: 'Reading',
    description:
      'A reading, possibly reduced by a projection, or the aggregated readings of an interval. All other fields are values; null if there was no number to aggregate.',
  });
export type ShownReading = z.infer<typeof ShownReading>;

const OWN_FIELDS = new Set(['_id', '_ts', '_tsMetadata']);

/** Whether a field is a value, as opposed to a field about the reading. */
const isValue = (name: string): boolean => !OWN_FIELDS.has(name);

export const valuesOf = (reading: NewReading): Record<string, unknown> =>
  Object.fromEntries(Object.entries(reading).filter(([name]) => isValue(name)));

/** The first problem with the values of a reading. Names become columns of a bucket. */
function problemOf(reading: Record<string, unknown>): string | undefined {
  if (Object.keys(reading).length > MAX_FIELDS) return `must have at most ${MAX_FIELDS} fields`;
  for (const name in reading) {
    if (!isName(name)) return 'has a field whose name is too long, or contains a dot, a dollar sign or NUL';
    const value = reading[name];
    if (typeof value === 'object' && value !== null && !isPlain(value, 1))
      return 'has values that are nested too deeply';
  }
  return undefined;
}

const isName = (name: string) =>
  name !== '' && name.length <= MAX_NAME_LENGTH && name !== '__proto__' && !/[.$\0]/.test(name);

function isPlain(value: object, depth: number): boolean {
  if (value instanceof Date) return true;
  if (depth > MAX_DEPTH) return false;
  const isList = Array.isArray(value);
  return Object.entries(value).every(
    ([name, inner]: [string, unknown]) =>
      (isList || isName(name)) && (typeof inner !== 'object' || inner === null || isPlain(inner, depth + 1)),
  );
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_EVERY_MS = 366 * UNITS_MS.d;

/** A step such as `15m`, in milliseconds: a whole number and ms, s, m, h or d; at most 366 days. */
export const Every = z.string().transform((text, context) => {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const everyMs = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (everyMs > 0 && everyMs <= MAX_EVERY_MS) return everyMs;
  context.addIssue('must be a whole number and ms, s, m, h or d, such as 15m, up to 366d');
  return z.NEVER;
});

export const AggregateFunction = z.enum(['avg', 'min', 'max', 'last', 'count']);
export type AggregateFunction = z.infer<typeof AggregateFunction>;

/** Joins the readings of each telemetry item by step. Steps start at multiples of their length since 1970. */
export interface DownSampling {
  everyMs: number;
  /** With one function, a field has its value; with several, an object with a value for each. */
  functions: AggregateFunction[];
}

/** Whether a projection only names values; down-sampling supports nothing else. */
export const choosesValues = ({ kind, paths }: Projection): boolean =>
  (kind === 'without' || paths.length > 0) && paths.every((path) => isValue(path) && !path.includes('.'));
