import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { documents, header, route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { describeRoutes, get } from './describe-routes.js';

/**
 * Cases that no service declares; `npm run openapi:check` compares the descriptions of the services with the committed
 * ones.
 */
describe('the description of an API', () => {
  const only = (...list: Route[]) => describeRoutes('one', list);
  const putOf = (first: object, second: object) =>
    only(route.put('/', { ...get, ...first }), route.put('/', { ...get, operation: 'things.b', ...second })).paths[
      '/one/things'
    ]!.put!;

  it('is valid with schemas that are recursive, are used twice or differ between requests and responses', async () => {
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
    const Size = z.string().transform(Number).pipe(z.number()).meta({ id: 'Size', description: 'Bytes.' });
    const Box = z.object({ size: Size }).meta({ id: 'Box', description: 'What has a size.' });
    const Label = z.object({ text: z.string() }).meta({ id: 'Label', description: 'What is the same.' });
    const Boxes = z.array(Box).meta({ id: 'Boxes' });
    const document = only(
      route.post('/', { ...get, operation: 'a', body: Tree, responses: { 200: z.array(Tree), 201: z.json() } }),
      route.put('/', {
        ...{ ...get, operation: 'b' },
        body: z.object({ box: Box, label: Label, tree: Tree }),
        responses: { 200: z.object({ box: Box, label: Label, all: Boxes }) },
      }),
    );
    const validator = new Validator();
    const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
    expect(await validator.validate(copy)).toEqual({ valid: true });
    expect(validator.resolveRefs()).toBeDefined();
    const { schemas } = document.components;
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g))
      expect(schemas).toHaveProperty([name!]);
    const names = Object.keys(schemas!).filter((name) => /^(Size|Box|Boxes|Label)(In|Out)?/.test(name));
    expect(names.sort()).toEqual(['Box', 'BoxOutput', 'Boxes', 'Label', 'Size', 'SizeOutput']);
    expect(schemas!.BoxOutput).toMatchObject({ properties: { size: { $ref: '#/components/schemas/SizeOutput' } } });
    expect(schemas!.Boxes).toMatchObject({ items: { $ref: '#/components/schemas/BoxOutput' } });
  });

  it('rejects operations of one path and method that declare different permissions', () => {
    const [own, anyone] = [documents({ rule: 'own' }), documents({ rule: 'anyone' })];
    expect(() => putOf({ needs: own }, { needs: anyone })).toThrow(
      'things.get and its variants declare different permissions',
    );
  });

  it('requires a response header of such operations only if all of them have it', () => {
    const [first, second] = [header('X-First', 'In both.'), header('X-Second', 'In one.')];
    const responses = { 204: null };
    const put = putOf({ responses, headers: { 204: [first, second] } }, { responses, headers: { 204: [first] } });
    expect(put.responses['204']).toMatchObject({
      headers: { 'X-First': { required: true }, 'X-Second': { required: false } },
    });
  });

  it('keeps the bodies of such operations as alternatives', () => {
    const put = putOf({ body: z.object({ a: z.string() }) }, { body: z.object({ b: z.string() }) });
    const alone = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });
    const content = { 'application/json': { schema: { anyOf: [alone('a'), alone('b')] } } };
    expect(put.requestBody).toMatchObject({ required: true, content });
  });
});
