import { WRITABLE } from './attributes.js';
import type { Attribute } from './schema-types.js';

type Values = Record<string, unknown>;

/** The form in which texts are compared where case does not matter (RFC 7643, section 4.1.1). */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/** A text in the form in which filters compare it. */
export const comparableText = ({ caseExact }: Attribute, value: string): string => (caseExact ? value : nameKey(value));

const SEARCHED = WRITABLE.filter(({ returned }) => returned !== 'never');

/** The attributes of a user in the form in which filters compare them, without those that have no value. */
export const comparableUser = (profile: Values): Values => comparableValues(profile, SEARCHED) ?? {};

function comparableValues(values: Values, attributes: readonly Attribute[]): Values | undefined {
  const entries = attributes
    .map((attribute) => [attribute.name, comparable(attribute, values[attribute.name])] as const)
    .filter(([, value]) => value !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Undefined for a value that counts as absent. */
export function comparable(attribute: Attribute, value: unknown): unknown {
  if (Array.isArray(value)) {
    const values = value.map((entry) => comparable({ ...attribute, multiValued: false }, entry));
    const present = values.filter((entry) => entry !== undefined);
    return present.length > 0 ? present : undefined;
  }
  if (typeof value === 'string') return value === '' ? undefined : comparableText(attribute, value);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  return comparableValues(value as Values, attribute.subAttributes ?? []);
}
