import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { documents, route, routes } from '@dtplatform/http';
import { describeApi, missingInMessages, missingParts } from '../src/index.js';
import { joinDocuments } from '../src/join-documents.js';
import { handler } from './files-api.js';
import { assertValid } from './support.js';

/** An API with one kind of resource. */
const apiOf = (prefix: string, Thing: z.ZodType, tags?: Record<string, string>) =>
  describeApi({
    title: prefix,
    description: 'Has things.',
    tags,
    mounts: [
      {
        prefix: `/${prefix}`,
        tables: [
          routes('/things', [
            route.get('/', {
              operation: 'things.get',
              summary: 'Get.',
              needs: documents({ rule: 'anyone' }),
              responses: { 200: Thing },
              handler,
            }),
            route.get('/again', {
              operation: 'things.getAgain',
              aliasOf: 'things.get',
              summary: 'Get.',
              needs: documents({ rule: 'anyone' }),
              responses: { 200: Thing },
              handler,
            }),
          ]),
        ],
      },
    ],
  });
const named = (shape: z.ZodRawShape) => z.object(shape).meta({ id: 'Thing', description: 'A thing.' });

describe('the reference of several services', () => {
  const one = apiOf('one', named({ a: z.string() }), { things: 'Things of one.' });
  const two = apiOf('two', named({ b: z.string() }), { things: 'Things of two.' });
  const parts = [
    { service: 'one', document: one },
    { service: 'two', document: two },
  ];
  const joined = joinDocuments(parts, { title: 'All', description: 'All of them.' });

  it('is a valid document with all operations and without aliases', async () => {
    await assertValid(joined);
    expect(Object.keys(joined.paths)).toEqual(['/one/things', '/two/things']);
    expect(joined.paths['/one/things']!.get).toMatchObject({ operationId: 'one.things.get', tags: ['one.things'] });
    expect(joined.tags.map(({ name }) => name)).toEqual(['one.things', 'two.things']);
  });

  it('separates different parts of the same name and shares equal ones', () => {
    expect(joined.components.schemas).toMatchObject({
      Thing: { properties: { a: {} } },
      'two.Thing': { properties: { b: {} } },
      Error: {},
    });
    expect(JSON.stringify(joined.paths['/two/things'])).toContain('"#/components/schemas/two.Thing"');
    expect(joined.components.schemas).not.toHaveProperty('two.Error');
  });
});

describe('the gaps of a reference', () => {
  it('are listed by place', () => {
    const missing = missingParts(
      apiOf('one', z.object({ list: z.array(z.object({ a: z.string() })).describe('All.') })),
    );
    expect(missing).toEqual([
      'tag things: description',
      'GET /one/things: description of 200.list[].a',
      'GET /one/things: example of 200',
    ]);
  });

  it('include the fields of messages', () => {
    const described = { type: 'object', properties: { a: { description: 'A.' } } };
    const components = {
      messages: { Ask: { payload: { properties: { part: { $ref: '#/components/schemas/Part' }, b: {} } } } },
      schemas: { Described: described, Part: { properties: { c: {} } } },
    };
    expect(missingInMessages({ components })).toEqual(['description of Ask.b', 'description of Part.c']);
  });

  it('do not include what a component describes', () => {
    const Part = z.object({ a: z.string().describe('A.') }).meta({ id: 'Part', description: 'A part.' });
    const missing = missingParts(apiOf('one', z.object({ part: Part }), { things: 'Things.' }));
    expect(missing.filter((what) => !what.includes('example'))).toEqual([]);
  });
});
