import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itemClient, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('searches', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { send, createOne } = itemClient(() => ({ app, owner }));
  const search = (body: unknown) => send('post', '/search').send(body as object);

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await createOne({ _userType: 'walls' });
  });
  afterAll(() => app.stop());

  const desc = { collectionDesc: { _userType: 'walls' } };
  const parent = { parent: desc };
  const relation = (more: object) => ({
    $findWithRelated: { ...parent, related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'x', ...more }] },
  });
  it.each<[string, unknown, string]>([
    ['an unknown operator', { $where: {} }, '$where is not allowed.'],
    ['an operator of aggregations', { $findInCollections: desc, $lookup: {} }, '$lookup is not allowed.'],
    ['no operator', {}, '$findInCollections, $findWithRelated, $distinctRelatedItemFields'],
    ['two operators', { $findInCollections: desc, $distinctRelatedItemFields: { ...desc, fields: ['a'] } }, 'one of'],
    ['an array', [], 'body must be an object'],
    ['a collection of no description', { $findInCollections: {} }, '$findInCollections.collectionDesc is required'],
    ['an empty description', { $findInCollections: { collectionDesc: {} } }, '$findInCollections.collectionDesc'],
    [
      'a description with an operator',
      { $findInCollections: { collectionDesc: { $expr: 1 } } },
      '$expr is not allowed.',
    ],
    ['a query with an operator', { $findInCollections: { ...desc, query: { a: { $function: 1 } } } }, '$function'],
    ['a query that is text', { $findInCollections: { ...desc, query: 'a' } }, '$findInCollections.query'],
    [
      'a text search without an index',
      { $findInCollections: { ...desc, query: { $text: { $search: 'a' } } } },
      '$text',
    ],
    ['a negative offset', { $findInCollections: { ...desc, options: { page: { _offset: -1 } } } }, 'page._offset'],
    ['a sort that is none', { $findInCollections: { ...desc, options: { sort: { a: 2 } } } }, 'sort'],
    [
      'a projection of both kinds',
      { $findInCollections: { ...desc, options: { project: { a: 1, b: 0 } } } },
      'projection',
    ],
    ['no parent', { $findWithRelated: { related: [] } }, '$findWithRelated.parent'],
    ['no relations', { $findWithRelated: { ...parent, related: [] } }, '$findWithRelated.related'],
    [
      '11 relations',
      { $findWithRelated: { ...parent, related: Array(11).fill(relation({}).$findWithRelated.related[0]) } },
      '$findWithRelated.related',
    ],
    ['a relation without a name', relation({ as: undefined }), '$findWithRelated.related.0.as'],
    ['a relation named like a field of the platform', relation({ as: '_id' }), '$findWithRelated.related.0.as'],
    ['a relation with a dollar in its name', relation({ as: 'a.$b' }), '$findWithRelated.related.0.as'],
    ['a relation with an operator in its query', relation({ query: { $where: '1' } }), '$where is not allowed.'],
    [
      'a relation with a text search',
      relation({ query: { $and: [{ $text: { $search: 'a' } }] } }),
      '$text is not allowed in this place.',
    ],
    [
      'a text search for distinct values without an index',
      { $distinctRelatedItemFields: { ...desc, query: { $text: { $search: 'a' } }, fields: ['a'] } },
      '$text requires a text index',
    ],
    ['a relation to no type', relation({ relatedDesc: {} }), 'relatedDesc._relatedUserType is required'],
    ['no fields', { $distinctRelatedItemFields: { ...desc, fields: [] } }, '$distinctRelatedItemFields.fields'],
    ['a field with an operator', { $distinctRelatedItemFields: { ...desc, fields: ['$where'] } }, 'projection'],
    ['a field that is a number', { $distinctRelatedItemFields: { ...desc, fields: [1] } }, 'fields.0'],
  ])('refuse %s', async (_what, body, says) => {
    const reply = await search(body).expect(400);
    const details = (reply.body.errors ?? []).map(
      ({ location, message }: Record<string, string>) => `${location} ${message}`,
    );
    expect([reply.body.message, ...details].join('\n')).toContain(says);
    expect(reply.body).toMatchObject({ status: 400, code: expect.any(String), requestId: expect.any(String) });
  });
});
