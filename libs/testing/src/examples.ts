import { readFileSync, writeFileSync } from 'node:fs';
import type { Response } from 'supertest';

interface Example {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  reply: { status: number; body?: unknown };
}

interface Operation {
  operationId: string;
  'x-operations'?: string[];
}

/**
 * Keeps calls of a test as examples of the API reference: the service's `examples.json`. Ids, times and signatures are
 * replaced by fixed ones, so that each run gives the same examples.
 * @param folder of the service
 */
export function keepExamples(folder: URL) {
  const { paths } = read('openapi.json') as { paths: Record<string, Record<string, Operation>> };
  const file = new URL('examples.json', folder);
  const kept: Record<string, Example | { message: unknown }> = {};

  return {
    /** Keeps a call and its reply. @throws if they are not of this operation */
    keep(operation: string, response: Response): void {
      const {
        method,
        url,
        _data: body,
      } = response.request as unknown as { method: string; url: string; _data?: unknown };
      const { pathname, searchParams } = new URL(url);
      const path = pathOf(operation, method.toLowerCase());
      const isJson = /[/+]json\b/.test(response.type);
      kept[operation] = {
        path: valuesIn(path, pathname),
        query: Object.fromEntries(searchParams),
        ...(isPlain(body) ? { body } : {}),
        reply: { status: response.status, ...(isJson ? { body: response.body as unknown } : {}) },
      };
    },

    /** Keeps a message of a websocket. */
    keepMessage(name: string, message: unknown): void {
      kept[name] = { message };
    },

    /** What was kept, as it is stored. With `WRITE_EXAMPLES` in the environment it is stored first. */
    end(): { kept: unknown; stored: unknown } {
      const fixed = withoutChance(kept);
      if (process.env.WRITE_EXAMPLES) writeFileSync(file, `${JSON.stringify(fixed, null, 2)}\n`);
      return { kept: fixed, stored: read('examples.json') };
    },
  };

  function pathOf(operation: string, method: string): string {
    const found = Object.entries(paths).find(([, methods]) => {
      const described = methods[method];
      return described && (described['x-operations'] ?? [described.operationId]).includes(operation);
    });
    if (!found) throw new Error(`openapi.json has no operation ${operation} with the method ${method}`);
    return found[0];
  }

  function read(name: string): unknown {
    return JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  }
}

const isPlain = (body: unknown) => typeof body === 'object' && body !== null && !Buffer.isBuffer(body);

/** The values of the parameters of a path. @throws if the path is another one */
function valuesIn(path: string, called: string): Record<string, string> {
  const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+?)');
  const found = new RegExp(`^${pattern}$`).exec(called);
  if (!found) throw new Error(`${called} is not ${path}`);
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );
}

const ID = /[0-9a-f]{24}/g;
const MILLISECONDS = /\b1[6-9]\d{11}\b/g;
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Times that are less far from now are those of the test itself; others are part of its story. */
const TEST_MS = 3_600_000;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const SIGNED_URL = /"https?:[^"]*X-Amz-Signature[^"]*"/g;

/** Ids by the order in which they occur, one time for all times, and no signatures. */
function withoutChance(examples: object): unknown {
  const ids = new Map<string, string>();
  const idFor = (id: string) => {
    if (!ids.has(id)) ids.set(id, `66f0c0de${(ids.size + 1).toString(16).padStart(16, '0')}`);
    return ids.get(id)!;
  };
  const text = JSON.stringify(examples)
    .replace(SIGNED_URL, '"https://objects.example.com/signed"')
    .replace(UUID, '2f6d2c1a-5f0e-4b6f-9d0a-3c1b7a8e9f10')
    .replace(ID, idFor)
    .replace(MILLISECONDS, '1767225600000')
    .replace(ISO_TIME, (time) =>
      Math.abs(Date.parse(time) - Date.now()) < TEST_MS ? '2026-01-01T00:00:00.000Z' : time,
    );
  return JSON.parse(text);
}
