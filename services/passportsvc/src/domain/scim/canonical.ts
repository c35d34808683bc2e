import { ENTERPRISE_SCHEMA, findAttribute, WRITABLE } from './attributes.js';
import type { Attribute } from './schema-types.js';

type Values = Record<string, unknown>;

/**
 * What a client sent of a user, under the names that the attributes have here. Names are read in any letter case. What is null
 * or empty counts as absent (RFC 7643, section 2.5). Attributes that are unknown or set by the server are left out.
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

/** Nothing of it is known here. */
const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

/** An extension is sent under its schema. */
const nameOf = (key: string) => {
  if (key.toLowerCase() === ENTERPRISE_SCHEMA.toLowerCase()) return 'enterprise';
  return key.toLowerCase() === 'enterprise' ? '' : key;
};

/** The value of one attribute; undefined when there is none. */
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
  // Some identity providers send the text alone, for a manager above all.
  if (typeof value === 'string' && findAttribute(subAttributes, 'value')) return value === '' ? undefined : { value };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? canonicalValues(value as Values, subAttributes) : value;
}

/** Some identity providers send booleans as text. */
function asBoolean(value: unknown): unknown {
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  return text === 'true' || text === 'false' ? text === 'true' : value;
}
