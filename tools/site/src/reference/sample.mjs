import { schemaOf } from './document.mjs';

const BY_TYPE = { string: 'text', boolean: true, null: null };

/** The smallest valid value of a schema, for operations without a recorded example. */
export function sampleOf(schema) {
  if (schema.$ref) return sampleOf(schemaOf(schema));
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(sampleOf));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return sampleOf(options[0]);
  const type = [schema.type ?? 'object'].flat()[0];
  if (type === 'array') return [sampleOf(schema.items ?? {})];
  if (type === 'number' || type === 'integer') return Math.max(schema.minimum ?? 1, 1);
  if (type !== 'object') return BY_TYPE[type];
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}
