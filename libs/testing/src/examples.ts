import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Response } from 'supertest';
import { inlineParts } from './inline-parts.js';
import { operationsOf, showCalls, showMessages } from './show-examples.js';
import type { AsyncApi, Example, OpenApi } from './show-examples.js';

export type Examples = ReturnType<typeof keepExamples>;

/**
 * Stores calls of a test as the examples of the service's `openapi.json`, and messages as those of its `asyncapi.json`. Ids,
 * tokens, signatures and times are replaced by fixed ones, so that each run gives the same examples.
 * @param folder of the service
 */
export function keepExamples(folder: URL) {
  const { paths } = read<OpenApi>('openapi.json');
  const kept: Record<string, Example | { message: unknown }> = {};
  const replaced = new Map<string, string>();

  return {
    /** Replaces a secret, or a value that differs in each run, by a fixed one. */
    replace: (value: string, shown: string): void => void replaced.set(inJson(value), inJson(shown)),

    /** Stores a call and its response. @throws if they do not belong to this operation */
    keep: (operation: string, response: Response): void => {
      const { method, url, data: body } = response.request.toJSON();
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

    /** Stores a websocket message. */
    keepMessage: (name: string, message: unknown): void => {
      kept[name] = { message };
    },

    /** The descriptions with these examples, and as stored. With `WRITE_EXAMPLES` in the environment, writes them first. */
    end: (): { kept: unknown; stored: unknown } => {
      const shown = described(withoutChance(kept, replaced) as typeof kept);
      if (process.env.WRITE_EXAMPLES)
        for (const [name, description] of Object.entries(shown))
          writeFileSync(new URL(name, folder), `${JSON.stringify(description, null, 2)}\n`);
      return { kept: shown, stored: Object.fromEntries(Object.keys(shown).map((name) => [name, read(name)])) };
    },
  };

  function described(fixed: typeof kept): Record<string, object> {
    const openApi = read<OpenApi>('openapi.json');
    showCalls(
      openApi,
      pick(fixed, (example) => ('message' in example ? undefined : example)),
    );
    if (!existsSync(new URL('asyncapi.json', folder))) return { 'openapi.json': openApi };
    const asyncApi = read<AsyncApi>('asyncapi.json');
    showMessages(
      asyncApi,
      pick(fixed, (example) => ('message' in example ? example.message : undefined)),
    );
    return { 'openapi.json': openApi, 'asyncapi.json': asyncApi };
  }

  function pathOf(operation: string, method: string): string {
    const found = Object.entries(paths).find(([, methods]) => {
      const described = methods[method];
      return described && operationsOf(described).includes(operation);
    });
    if (!found) throw new Error(`openapi.json has no operation ${operation} with the method ${method}`);
    return found[0];
  }

  function read<T extends object>(name: string): T {
    return inlineParts(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T);
  }
}

/** The entries for which there is a value. */
function pick<T, U>(entries: Record<string, T>, valueOf: (entry: T) => U | undefined): Record<string, U> {
  const picked = Object.entries(entries).map(([name, entry]) => [name, valueOf(entry)] as const);
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined)) as Record<string, U>;
}

const isPlain = (body: unknown) => typeof body === 'object' && body !== null && !Buffer.isBuffer(body);

/** The values of the parameters of a path. @throws if the path does not match */
function valuesIn(path: string, called: string): Record<string, string> {
  const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+?)');
  const found = new RegExp(`^${pattern}$`).exec(called);
  if (!found) throw new Error(`${called} is not ${path}`);
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

const ID = /[0-9a-f]{24}/g;
const MILLISECONDS = /\b1[6-9]\d{11}\b/g;
const DATE = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** How long a task or a script took. */
const DURATION = /"(_timeTakenInSecs|_tookMs)":[\d.]+/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const JWT = /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;
const SIGNED_URL = /"https?:[^"]*X-Amz-Signature[^"]*"/g;

const HOUR_MS = 3_600_000;
const FIXED_MS = 1767225600000;
const STARTED_MS = Date.now();

/**
 * One fixed time for all times of the run; later ones in whole hours after it. Earlier times are chosen by the test and
 * stay.
 */
const fixedTime = (ms: number): number =>
  ms < STARTED_MS - HOUR_MS ? ms : FIXED_MS + Math.round((ms - STARTED_MS) / HOUR_MS) * HOUR_MS;

/** Ids numbered in order of occurrence, fixed times, and no tokens or signatures. */
function withoutChance(examples: object, replaced: Map<string, string>): unknown {
  const ids = new Map<string, string>();
  const idFor = (id: string) => {
    if (!ids.has(id)) ids.set(id, `66f0c0de${(ids.size + 1).toString(16).padStart(16, '0')}`);
    return ids.get(id)!;
  };
  const text = [...replaced]
    .reduce((all, [value, shown]) => all.replaceAll(value, () => shown), JSON.stringify(examples))
    .replace(SIGNED_URL, '"https://objects.example.com/signed"')
    .replace(JWT, 'the-access-token')
    .replace(UUID, '2f6d2c1a-5f0e-4b6f-9d0a-3c1b7a8e9f10')
    .replace(ID, idFor)
    .replace(MILLISECONDS, (time) => String(fixedTime(Number(time))))
    .replace(DATE, (time) => {
      const [ms, fixedMs] = [Date.parse(time), fixedTime(Date.parse(time))];
      return ms === fixedMs ? time : new Date(fixedMs).toISOString();
    })
    .replace(DURATION, '"$1":2');
  return JSON.parse(text);
}
