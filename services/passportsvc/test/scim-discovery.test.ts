import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { installPythonTools } from '@dtplatform/testing';
import { WRITABLE } from '../src/scim/users/attributes.js';
import type { Attribute } from '../src/scim/users/schema-types.js';
import { SentUser } from '../src/scim/users/user.js';
import { useApp } from './start-app.js';
import { asApp } from './tokens.js';

const SCIM = '/passportsvc/api/v1/scim';

describe('SCIM discovery', () => {
  const app = useApp();
  const get = (path: string) => app.api.get(`${SCIM}${path}`);

  it('responds to other paths, methods and filters with SCIM errors', async () => {
    const errors = [
      await get('/Schemas/unknown').expect(404),
      await get('/ResourceTypes/Group').expect(404),
      await get('/Groups').expect(404),
      await get('/Schemas?filter=id pr').expect(403),
      await app.api.post(`${SCIM}/Schemas`).send({}).expect(405),
    ];
    for (const { body, status } of errors) {
      expect(body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: `${status}` });
    }
  });

  it('describes exactly the attributes of users', () => {
    const namesOf = (attributes: readonly Attribute[], prefix = ''): string[] =>
      attributes.flatMap(({ name, subAttributes }) =>
        subAttributes ? namesOf(subAttributes, `${prefix}${name}.`) : [prefix + name],
      );
    expect(namesOf(WRITABLE).sort()).toEqual(leavesOf(z.toJSONSchema(SentUser) as JsonSchema).sort());
  });

  it("passes scim2-cli's own test run", async () => {
    const requirements = fileURLToPath(new URL('scim2-cli/requirements.txt', import.meta.url));
    const python = await installPythonTools('scim-tools', 'scim2-cli', requirements);
    // As a module: installed scripts contain the path of their installation.
    const cli = ['-c', 'from scim2_cli import cli; cli()', '--url', `${app.url}${SCIM}`, 'test', '--verbose'];
    const { code, output } = await python(cli, { SCIM_CLI_HEADERS: `Authorization: ${await asApp(app)}` });
    // Each failed check with its reason.
    expect(output.match(/^(?:ERROR|CRITICAL).*\n.*/gm) ?? []).toEqual([]);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') });
  }, 300_000);
});

interface JsonSchema {
  $defs?: Record<string, JsonSchema>;
  $ref?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

function leavesOf({ $defs, $ref, properties, items }: JsonSchema, path = '', parts = $defs ?? {}): string[] {
  if ($ref) return leavesOf(parts[$ref.split('/').at(-1)!]!, path, parts);
  if (items) return leavesOf(items, path, parts);
  if (!properties) return [path];
  return Object.entries(properties).flatMap(([name, part]) => leavesOf(part, path ? `${path}.${name}` : name, parts));
}
