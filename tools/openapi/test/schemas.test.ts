import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { documents, route, routes } from '@dtplatform/http';
import { api, handler, only } from './files-api.js';
import { assertValid, parametersOf } from './support.js';

interface Tree {
  name: string;
  children: Tree[];
}
const Tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Shared = z.object({ street: z.string() });

describe('schemas', () => {
  it('may be recursive and used twice', async () => {
    const basics = { operation: 'tree', summary: '-', needs: documents({ rule: 'anyone' }), handler };
    const document = api([
      routes('/trees', [
        route.post('/', { ...basics, body: Tree, responses: { 200: z.array(Tree), 201: z.json() } }),
        route.put('/', {
          ...basics,
          operation: 'tree.put',
          body: z.object({ tree: Tree, a: Shared, b: Shared }),
          responses: { 200: z.json() },
        }),
      ]),
    ]);
    await assertValid(document);
  });

  it('of a query may be validated as a whole', () => {
    const query = z.object({ from: z.string(), to: z.string().optional() }).refine(({ from, to }) => from !== to);
    const paths = only(
      route.get('/', {
        operation: 'q',
        summary: '-',
        needs: documents({ rule: 'anyone' }),
        query,
        responses: { 200: null },
        handler,
      }),
    );
    expect(parametersOf(paths.get!)).toMatchObject({ from: { required: true }, to: { required: false } });
  });

  it('with an id are components, one per direction if they differ', async () => {
    const Thing = z
      .object({ size: z.string().transform(Number).default(0).describe('Bytes.') })
      .meta({ id: 'Thing', description: 'A thing.' });
    const basics = { summary: '-', needs: documents({ rule: 'anyone' }), handler };
    const document = api([
      routes('/things', [
        route.get('/', { ...basics, operation: 'a', responses: { 200: z.array(Thing) } }),
        route.put('/', { ...basics, operation: 'b', body: Thing, responses: { 200: Thing } }),
      ]),
    ]);
    await assertValid(document);
    const { Thing: shown, ThingInput: sent } = document.components.schemas!;
    expect(shown).toMatchObject({ description: 'A thing.', properties: { size: { description: 'Bytes.' } } });
    expect(sent).toMatchObject({ properties: { size: { type: 'string' } } });
    const { put } = document.paths['/filesvc/api/v1/things']!;
    expect(put!.requestBody!.content['application/json']!.schema).toEqual({ $ref: '#/components/schemas/ThingInput' });
  });

  it('have one component for both directions if they do not differ', async () => {
    const Size = z.string().transform(Number).pipe(z.number()).meta({ id: 'Size', description: 'Bytes.' });
    const Box = z.object({ size: Size }).meta({ id: 'Box', description: 'What has a size.' });
    const Label = z.object({ text: z.string() }).meta({ id: 'Label', description: 'What is the same.' });
    const basics = { summary: '-', needs: documents({ rule: 'anyone' }), handler };
    const document = api([
      routes('/boxes', [
        route.put('/', {
          ...basics,
          operation: 'a',
          body: z.object({ box: Box, label: Label }),
          responses: { 200: z.object({ box: Box, label: Label, all: z.array(Box).meta({ id: 'Boxes' }) }) },
        }),
      ]),
    ]);
    await assertValid(document);
    const { schemas } = document.components;
    expect(
      Object.keys(schemas!)
        .filter((name) => /^(Size|Box|Boxes|Label)(In|Out)?/.test(name))
        .sort(),
    ).toEqual(['Box', 'BoxOutput', 'Boxes', 'Label', 'Size', 'SizeOutput']);
    expect(schemas!.BoxOutput).toMatchObject({ properties: { size: { $ref: '#/components/schemas/SizeOutput' } } });
    expect(schemas!.Boxes).toMatchObject({ items: { $ref: '#/components/schemas/BoxOutput' } });
  });
});
