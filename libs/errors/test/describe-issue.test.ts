import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { describeIssue } from '../src/index.js';

const SECRET = 'value-that-must-not-come-back';
const messagesFor = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: describeIssue }).error?.issues.map(({ message }) => message);

const Named = z.object({ name: z.string() });
const Shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('square'), side: z.number() }),
]);

it.each<[string, z.ZodType, unknown, string]>([
  ['a missing string', z.string(), undefined, 'is required'],
  ['a missing enum', z.enum(['a', 'b']), undefined, 'is required'],
  ['a missing union', z.union([z.string(), z.number()]), undefined, 'is required'],
  ['a missing discriminated union', Shape, undefined, 'is required'],
  ['a missing discriminator', Shape, {}, 'is required'],
  ['null for a string', z.string(), null, 'must be a string'],
  ['a string for a number', z.number(), SECRET, 'must be a number'],
  ['infinity for a number', z.number(), Infinity, 'must be a number'],
  ['text that is coerced to a number', z.coerce.number(), SECRET, 'must be a number'],
  ['a fraction for an integer', z.number().int(), 1.5, 'must be an integer'],
  ['an integer that doubles cannot hold', z.int(), 2 ** 60, 'must be at most 9007199254740991'],
  ['an object for a list', z.array(z.string()), {}, 'must be an array'],
  ['a list for an object', Named, [], 'must be an object'],
  ['a string for a record', z.record(z.string(), z.string()), SECRET, 'must be an object'],
  ['a string for null', z.null(), SECRET, 'must be null'],
  ['a value where none may be', z.never(), SECRET, 'is not allowed'],
  ['an unknown option', z.enum(['small', 'large']), SECRET, 'must be one of "small", "large"'],
  ['another constant', z.literal('png'), SECRET, 'must be "png"'],
  ['an empty string', z.string().min(1), '', 'must not be empty'],
  ['a short string', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['a long string', z.string().max(1), 'ab', 'must have at most 1 character'],
  ['a string of another length', z.string().length(4), 'ab', 'must have exactly 4 characters'],
  ['a short list', z.array(z.string()).min(2), ['a'], 'must have at least 2 items'],
  ['a small number', z.number().min(0), -1, 'must be at least 0'],
  ['a number that is not positive', z.number().positive(), 0, 'must be greater than 0'],
  ['a large number', z.number().max(100), 101, 'must be at most 100'],
  ['a number at an exclusive limit', z.number().lt(1), 1, 'must be less than 1'],
  ['an early date', z.date().min(new Date(0)), new Date(-1), 'must be at least 1970-01-01T00:00:00.000Z'],
  ['a number that is not a multiple', z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  ['text that is not an email address', z.email(), SECRET, 'must be an email address'],
  ['text that is not a URL', z.url(), SECRET, 'must be a URL'],
  ['text that is not a UUID', z.uuid(), SECRET, 'must be a UUID'],
  ['text that is not a point in time', z.iso.datetime(), SECRET, 'must be an ISO 8601 date and time'],
  ['text in an unnamed format', z.ipv4(), SECRET, 'must be in the format ipv4'],
  ['text that does not match', z.string().regex(/^\d+$/), SECRET, 'must match /^\\d+$/'],
  ['text with another start', z.string().startsWith('urn:'), SECRET, 'must start with "urn:"'],
  ['text with another end', z.string().endsWith('.png'), SECRET, 'must end with ".png"'],
  ['text without a part', z.string().includes('@'), SECRET, 'must contain "@"'],
  ['unknown fields', z.strictObject({}), { [SECRET]: 1 }, 'has unknown fields'],
  ['another type than those of a union', z.union([z.string(), z.number()]), true, 'must be a string or a number'],
  ['an invalid value of one type of a union', z.union([z.string().min(1), Named]), {}, 'name is required'],
  [
    'several problems in a union',
    z.union([Named, z.object({ id: z.string() })]),
    {},
    'matches none of the alternatives',
  ],
  ['an unknown kind', Shape, { kind: SECRET }, 'must be one of "circle", "square"'],
  ['a constant or a list', z.union([z.literal('*'), z.array(z.string())]), 1, 'must be "*" or an array'],
  ['a failed check', z.string().refine(() => false), SECRET, 'is not valid'],
])('describes %s', (_what, schema, value, message) => {
  expect(messagesFor(schema, value)).toEqual([message]);
});

it('keeps a message of the schema', () => {
  expect(messagesFor(z.string().regex(/^\d+$/, 'must be a whole number'), SECRET)).toEqual(['must be a whole number']);
});

it('never repeats a key', () => {
  const messages = messagesFor(z.record(z.string().max(3), z.string()), { [SECRET]: 'a' });
  expect(messages).toEqual(['has an invalid key']);
});
