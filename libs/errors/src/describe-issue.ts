import { cutText } from '@dtplatform/contracts';
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Of<C extends Issue['code']> = Extract<Issue, { code: C }>;

const TYPES: Record<string, string> = {
  int: 'an integer',
  bigint: 'an integer',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const FORMATS: Record<string, string> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  date: 'an ISO 8601 date',
  datetime: 'an ISO 8601 date and time',
};
const UNITS: Record<string, string> = { string: 'character', array: 'item', set: 'item', map: 'entry', file: 'byte' };

const DESCRIPTIONS: { [C in Issue['code']]: (issue: Of<C>) => string } = {
  invalid_type: ({ expected }) => `must be ${TYPES[expected] ?? `a ${expected}`}`,
  invalid_value: ({ values }) => `must be ${oneOf(values)}`,
  too_small: (issue) =>
    describeSize(issue, issue.minimum, issue.inclusive ? ['at least'] : ['more than', 'greater than']),
  too_big: (issue) => describeSize(issue, issue.maximum, issue.inclusive ? ['at most'] : ['fewer than', 'less than']),
  invalid_format: (issue) => describeFormat(issue),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: () => 'has unknown fields',
  invalid_union: (issue) => describeUnion(issue),
  invalid_key: () => 'has an invalid key',
  invalid_element: () => 'has an invalid entry',
  custom: () => 'is not valid',
};

/**
 * Describes what is wrong with a value without repeating it: pass it as `error` when parsing a caller's input. The text
 * is the predicate of a sentence about the field: `is required`, `must be a string`. Messages in the schema take
 * precedence.
 */
export function describeIssue(issue: Issue): string {
  if (issue.code === 'invalid_type' && ['never', 'undefined', 'void'].includes(issue.expected)) return 'is not allowed';
  return isMissing(issue) ? 'is required' : DESCRIPTIONS[issue.code](issue as never);
}

function isMissing(issue: Issue): boolean {
  if (issue.code === 'invalid_union' && 'discriminator' in issue && issue.discriminator !== undefined) {
    return (issue.input as Record<string, unknown>)[issue.discriminator] === undefined;
  }
  return issue.code !== 'custom' && issue.input === undefined;
}

const oneOf = (values: readonly unknown[]) => {
  const named = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value))).join(', ');
  return values.length === 1 ? named : `one of ${named}`;
};

function describeSize(
  { origin, exact, code }: Of<'too_small'> | Of<'too_big'>,
  limit: number | bigint,
  [forSizes, forNumbers = forSizes]: [string, string?],
): string {
  const unit = UNITS[origin];
  if (!unit) return `must be ${forNumbers} ${origin === 'date' ? new Date(Number(limit)).toISOString() : limit}`;
  if (code === 'too_small' && limit === 1 && !exact) return 'must not be empty';
  return `must have ${exact ? 'exactly' : forSizes} ${limit} ${limit === 1 ? unit : plural(unit)}`;
}

const plural = (unit: string) => (unit === 'entry' ? 'entries' : `${unit}s`);

function describeFormat(issue: Of<'invalid_format'>): string {
  const { format, pattern } = issue;
  const part = JSON.stringify(issue.prefix ?? issue.suffix ?? issue.includes);
  if (format === 'regex') return `must match ${pattern}`;
  if (format === 'starts_with') return `must start with ${part}`;
  if (format === 'ends_with') return `must end with ${part}`;
  if (format === 'includes') return `must contain ${part}`;
  return `must be ${FORMATS[format] ?? `in the format ${format}`}`;
}

/** Lists the types if the value has none of them; describes the problem if only one alternative accepts its type. */
function describeUnion(issue: Of<'invalid_union'>): string {
  if ('options' in issue && Array.isArray(issue.options)) return `must be ${oneOf(issue.options)}`;
  const ofItsType = issue.errors.filter((problems) => !problems.some(isOtherType));
  if (ofItsType.length === 0 && issue.errors.length > 0) {
    const types = issue.errors.map((problems) => problems.find(isOtherType)!.message.replace('must be ', ''));
    return `must be ${[...new Set(types)].join(' or ')}`;
  }
  const [problem] = ofItsType.flat();
  if (!problem || ofItsType.length > 1) return 'matches none of the alternatives';
  return `${cutText(problem.path.join('.'), 200)} ${problem.message}`.trim();
}

const isOtherType = ({ code, path }: z.core.$ZodIssue) =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');

/** Joins all issues: each field with its problem. */
export const describeIssues = (issues: readonly { path: PropertyKey[]; message: string }[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : `It ${message}`)).join('; ');
