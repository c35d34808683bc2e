import { list, quoted, text } from './markdown.mjs';

const MAX_DEPTH = 5;

const refName = ({ $ref }) => $ref.split('/').at(-1);
export const anchorOf = (name) => `object-${name.toLowerCase().replaceAll('.', '-')}`;

/** The type in a few words: `string, 1 to 255 characters`. */
export function typeOf(schema) {
  if (schema.$ref) return `[${refName(schema)}](#${anchorOf(refName(schema))})`;
  if ('const' in schema) return quoted(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => quoted(JSON.stringify(value))).join(' or ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(typeOf))].join(' or ');
  if (schema.allOf) return [...new Set(schema.allOf.map(typeOf))].join(' and ');
  if (schema.type === 'array') return `array of ${entryTypeOf(schema.items)}${boundsOf(schema)}`;
  return `${[schema.type ?? 'anything'].flat().join(' or ')}${boundsOf(schema)}`;
}

/** An entry's bounds are in brackets, because those of the array follow. */
const entryTypeOf = (items) => (items ? typeOf(items).replace(/^([^,]+), (.*)$/, '$1 ($2)') : 'anything');

const BOUNDS = [
  ['minLength', 'maxLength', 'characters'],
  ['minItems', 'maxItems', 'entries'],
  ['minimum', 'maximum', ''],
];

function boundsOf(schema) {
  const format = schema.format ? `, ${schema.format}` : '';
  const bounds = BOUNDS.map(([low, high, unit]) => rangeOf(schema[low], schema[high], unit)).filter(Boolean);
  return [format, ...bounds.map((bound) => `, ${bound}`)].join('');
}

function rangeOf(low, high, unit) {
  // zod writes these bounds for any integer.
  const [from, to] = [low, high].map((bound) => (Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound));
  if (from === undefined && to === undefined) return '';
  const range = from === undefined ? `at most ${to}` : to === undefined ? `at least ${from}` : `${from} to ${to}`;
  return `${range} ${unit}`.trim();
}

/** The properties of an object, of array entries or of each alternative, as nested lists. */
export function propertiesOf(schema, depth = 0) {
  if (depth > MAX_DEPTH || schema.$ref) return [];
  if (schema.items) return propertiesOf(schema.items, depth);
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives) return alternativesOf(alternatives, depth);
  const { properties = {}, required = [], additionalProperties } = schema;
  const named = Object.entries(properties).flatMap(([name, property]) =>
    list(propertyLine(name, property, required.includes(name)), propertiesOf(property, depth + 1)),
  );
  const others = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  if (!others) return named;
  const line = `any other name: ${typeOf(additionalProperties)}${sentence(additionalProperties)}`;
  return [...named, ...list(line, propertiesOf(additionalProperties, depth + 1))];
}

function alternativesOf(alternatives, depth) {
  const shown = alternatives.map((each) => propertiesOf(each, depth + 1)).filter((lines) => lines.length > 0);
  if (shown.length < 2) return shown.flat();
  return shown.flatMap((lines, index) => list(index === 0 ? 'Either' : 'or', lines));
}

const propertyLine = (name, property, isRequired) =>
  `${quoted(name)} ${typeOf(property)}${isRequired ? ', required' : ''}${sentence(property)}`;

const sentence = ({ description }) => (description ? ` — ${text(description)}` : '');

/** The names of all components that a part of the document refers to, directly or indirectly. */
export function componentsIn(part, schemas, found = new Set()) {
  const refs = JSON.stringify(part)?.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g) ?? [];
  for (const [, name] of refs) {
    if (found.has(name)) continue;
    found.add(name);
    componentsIn(schemas[name], schemas, found);
  }
  return found;
}
