import { NAMES, WRITABLE } from './attributes.js';
import type { Attribute } from './schema-types.js';

type Values = Record<string, unknown>;

/**
 * A text without case, in one Unicode form (RFC 7643, section 4.1.1). Lower case may have a composed form where upper case has
 * none, and that of a sigma depends on its place in the word.
 */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

const withoutInvisible = (name: string): string => name.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/** A user name or an e-mail address without white space around it. */
export function trimmedName(name: string): string {
  const characters = Array.from(name);
  const isVisible = (character: string) => !/[\p{White_Space}\uFEFF]/u.test(character);
  const end = characters.findLastIndex(isVisible) + 1;
  return end === 0 ? '' : characters.slice(characters.findIndex(isVisible), end).join('');
}

/**
 * The one form in which user names and e-mail addresses are compared: without white space around them, characters that nobody
 * sees, and case, in Unicode form NFC.
 */
export const comparableName = (name: string): string => folded(trimmedName(withoutInvisible(name)));

/** A text in the form in which filters compare it. */
export function comparableText(attribute: Attribute, value: string): string {
  if (attribute.caseExact) return value;
  return NAMES.has(attribute) ? comparableName(value) : folded(value);
}

/** The same for a part of a text, which may begin or end with white space. */
export function comparablePart(attribute: Attribute, value: string): string {
  if (attribute.caseExact) return value;
  return folded(NAMES.has(attribute) ? withoutInvisible(value) : value);
}

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
