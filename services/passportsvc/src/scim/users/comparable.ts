import { ENTERPRISE_SCHEMA, findAttribute, NAMES, WRITABLE } from './attributes.js';
import type { Attribute } from './schema-types.js';

type Values = Record<string, unknown>;

/**
 * A sent user with canonical attribute names, which are case-insensitive. Null and empty values count as absent (RFC
 * 7643, section 2.5). Drops unknown and server-set attributes.
 */
export const canonicalUser = (sent: Values): Values => canonicalValues(sent, WRITABLE);

function canonicalValues(sent: Values, attributes: readonly Attribute[]): Values {
  const kept = new Map<string, unknown>();
  for (const [key, value] of Object.entries(sent)) {
    const attribute = findAttribute(attributes, nameOf(key));
    const canonical = attribute && canonicalValue(attribute, value);
    if (canonical === undefined || isEmpty(canonical)) continue;
    const isSingle = attribute!.multiValued && !Array.isArray(canonical);
    kept.set(attribute!.name, isSingle ? [canonical] : canonical);
  }
  return Object.fromEntries(kept);
}

const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

/** An extension is sent under its schema. */
const nameOf = (key: string) => {
  if (key.toLowerCase() === ENTERPRISE_SCHEMA.toLowerCase()) return 'enterprise';
  return key.toLowerCase() === 'enterprise' ? '' : key;
};

export function canonicalValue(attribute: Attribute, value: unknown): unknown {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return canonicalSingle(attribute, value);
  const values = value
    .map((entry) => canonicalSingle(attribute, entry))
    .filter((entry) => entry !== null && entry !== undefined);
  return values.length === 0 && attribute.multiValued ? undefined : values;
}

function canonicalSingle({ type, subAttributes }: Attribute, value: unknown): unknown {
  if (type === 'boolean') return asBoolean(value);
  if (!subAttributes) return value;
  // Some identity providers send a plain string, mostly for a manager.
  if (typeof value === 'string' && findAttribute(subAttributes, 'value')) return value === '' ? undefined : { value };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? canonicalValues(value as Values, subAttributes) : value;
}

/** Some identity providers send booleans as strings. */
function asBoolean(value: unknown): unknown {
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  return text === 'true' || text === 'false' ? text === 'true' : value;
}

/**
 * Case-folded, in one Unicode form (RFC 7643, section 4.1.1). Lower case may have a composed form where upper case has
 * none, and a final sigma has its own lower case.
 */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

const withoutInvisible = (name: string): string => name.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

export function trimmedName(name: string): string {
  const characters = Array.from(name);
  const isVisible = (character: string) => !/[\p{White_Space}\uFEFF]/u.test(character);
  const end = characters.findLastIndex(isVisible) + 1;
  return end === 0 ? '' : characters.slice(characters.findIndex(isVisible), end).join('');
}

/**
 * The comparable form of user names and email addresses: trimmed, without invisible characters, case-folded, in
 * Unicode form NFC.
 */
export const comparableName = (name: string): string => folded(trimmedName(withoutInvisible(name)));

export function comparableText(attribute: Attribute, value: string): string {
  if (attribute.caseExact) return value;
  return NAMES.has(attribute) ? comparableName(value) : folded(value);
}

/** The same for a substring, which keeps white space at its ends. */
export function comparablePart(attribute: Attribute, value: string): string {
  if (attribute.caseExact) return value;
  return folded(NAMES.has(attribute) ? withoutInvisible(value) : value);
}

const SEARCHED = WRITABLE.filter(({ returned }) => returned !== 'never');

/** The attributes as filters compare them, without absent ones. */
export const comparableUser = (profile: Values): Values => comparableValues(profile, SEARCHED) ?? {};

function comparableValues(values: Values, attributes: readonly Attribute[]): Values | undefined {
  const entries = attributes
    .map((attribute) => [attribute.name, comparable(attribute, values[attribute.name])] as const)
    .filter(([, value]) => value !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

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
