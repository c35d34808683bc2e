import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { installPythonTools } from '@dtplatform/testing';
import { operations } from '../support/openapi.js';
import { dev, SERVICES } from '../support/platform.js';
import { createTenant } from './tenant.js';

const MINUTES = 60_000;
const fileHere = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Few examples, the same in each run; `npm run test:schemathesis` passes others. */
const QUICK = ['--phases', 'examples,fuzzing', '--max-examples', '4', '--seed', '1'];
const given = process.env.SCHEMATHESIS_ARGS;
const args = given ? (JSON.parse(given) as string[]) : QUICK;

/** Calls that schemathesis generates from the descriptions, with responses checked against them. */
describe('responses match the API description', () => {
  let python: Awaited<ReturnType<typeof installPythonTools>>;
  let env: Record<string, string>;

  beforeAll(async () => {
    python = await installPythonTools('schemathesis', 'schemathesis', fileHere('requirements.txt'));
    // The configuration names a module beside it.
    env = { ...(await createTenant()), PYTHONPATH: fileHere('.') };
  }, 3 * MINUTES);

  it.each(SERVICES)(
    '%s',
    async (service) => {
      const { code, output } = await python(
        [
          ...['-m', 'schemathesis.cli', '--config-file', fileHere('schemathesis.toml'), 'run'],
          new URL(`/${service}/api/v1/openapi.json`, dev.baseUrl).href,
          ...['--no-color', '--workers', '1', '--warnings', 'off', '--generation-database', 'none', ...args],
        ],
        env,
      );
      if (given) process.stdout.write(output);
      // The whole output includes how to repeat the failed calls.
      expect(code === 0 ? '' : output).toBe('');
      const count = operations.filter((operation) => operation.service === service).length;
      expect(output).toContain(`Selected: ${count}/${count}`);
      expect(output).toContain(`Tested: ${count}`);
    },
    given ? 120 * MINUTES : 3 * MINUTES,
  );
});
