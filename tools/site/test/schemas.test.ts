import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const program = pathToFileURL(path.resolve(import.meta.dirname, '../src/reference/schemas.mjs')).href;
const { typeOf, propertiesOf } = (await import(program)) as {
  typeOf: (schema: object) => string;
  propertiesOf: (schema: object) => string[];
};

describe('types in the reference', () => {
  it.each([
    [{ type: 'string', minLength: 1, maxLength: 128 }, 'string, 1 to 128 characters'],
    [{ type: 'string', format: 'date-time' }, 'string, date-time'],
    [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer, at least 0'],
    [{ const: 'resumable' }, '`"resumable"`'],
    [{ enum: ['file', 'dir'] }, '`"file"` or `"dir"`'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string or array of string'],
    [
      { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 128 } },
      'array of string (at most 128 characters), at most 20 entries',
    ],
    [
      { $ref: '#/components/schemas/objectmodelsvc.ResourceDesc' },
      '[objectmodelsvc.ResourceDesc](#object-objectmodelsvc-resourcedesc)',
    ],
    [{}, 'anything'],
  ])('describes %j as %s', (schema, text) => expect(typeOf(schema)).toBe(text));
});

describe('properties in the reference', () => {
  it('are nested lists that mark required ones', () => {
    const schema = {
      type: 'object',
      required: ['_name'],
      properties: {
        _name: { type: 'string', description: 'The name, as in `a<b>`, not <b>.' },
        _version: { type: 'array', items: { type: 'object', properties: { _id: { type: 'string' } } } },
      },
    };
    expect(propertiesOf(schema)).toEqual([
      '- `_name` string, required — The name, as in `a<b>`, not &lt;b>.',
      '- `_version` array of object',
      '  - `_id` string',
    ]);
  });

  it('are shown for each alternative and not repeated for a named schema', () => {
    const one = { type: 'object', properties: { a: { type: 'string' } } };
    const other = { type: 'object', properties: { b: { $ref: '#/components/schemas/File' } } };
    expect(propertiesOf({ anyOf: [one, other] })).toEqual([
      '- Either',
      '  - `a` string',
      '- or',
      '  - `b` [File](#object-file)',
    ]);
  });
});
