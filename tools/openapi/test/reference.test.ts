import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { route } from '@dtplatform/http';
import { missingInMessages, missingParts } from '../src/index.js';
import { joinDocuments } from '../src/join-documents.js';
import { describeRoutes, get } from './describe-routes.js';

/** An API with one kind of resource. */
const apiOf = (prefix: string, Thing: z.ZodType, tags?: Record<string, string>) => {
  const shown = { ...get, responses: { 200: Thing } };
  const alias = { ...shown, operation: 'things.getAgain', aliasOf: 'things.get' };
  return describeRoutes(prefix, [route.get('/', shown), route.get('/again', alias)], tags);
};
const named = (shape: z.ZodRawShape) => z.object(shape).meta({ id: 'Thing', description: 'A thing.' });

it('the reference of several services has all operations, no aliases, and a part of its own for each meaning', () => {
  const parts = [
    { service: 'one', document: apiOf('one', named({ a: z.string() }), { things: 'Things of one.' }) },
    { service: 'two', document: apiOf('two', named({ b: z.string() }), { things: 'Things of two.' }) },
  ];
  const joined = joinDocuments(parts, { title: 'All', description: 'All of them.' });
  expect(Object.keys(joined.paths)).toEqual(['/one/things', '/two/things']);
  expect(joined.paths['/one/things']!.get).toMatchObject({ operationId: 'one.things.get', tags: ['one.things'] });
  expect(joined.tags.map(({ name }) => name)).toEqual(['one.things', 'two.things']);
  expect(joined.components.schemas).toMatchObject({
    ...{ Thing: { properties: { a: {} } }, 'two.Thing': { properties: { b: {} } }, Error: {} },
  });
  expect(JSON.stringify(joined.paths['/two/things'])).toContain('"#/components/schemas/two.Thing"');
  expect(joined.components.schemas).not.toHaveProperty('two.Error');
});

describe('the gaps of a reference', () => {
  it('are listed by place', () => {
    const list = z.array(z.object({ a: z.string() })).describe('All.');
    expect(missingParts(apiOf('one', z.object({ list })))).toEqual([
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
});
