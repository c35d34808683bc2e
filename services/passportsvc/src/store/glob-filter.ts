import escapeStringRegexp from 'escape-string-regexp';
import { trusted } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';

/** Matches documents in which a field matches the glob: `*` stands for any text, and without one it matches substrings. */
export function matchesGlob(glob: string, fields: readonly string[]): Filter {
  const parts = glob.split(/\*+/).map(escapeStringRegexp);
  const pattern = parts.length === 1 ? parts[0]! : `^${parts.join('.*')}$`;
  const match = trusted({ $regex: pattern, $options: 'is' });
  return { $or: fields.map((field) => ({ [field]: match })) };
}
