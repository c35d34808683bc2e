import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { startAnswers } from '../src/answers.js';
import { keepExamples } from '../src/index.js';

const ID = '0123456789abcdef01234567';
const HOUR_MS = 3_600_000;
const FIXED_MS = 1767225600000;

const DESCRIPTION = {
  paths: {
    '/rooms/{id}': {
      get: {
        operationId: 'rooms.get',
        parameters: [
          { name: 'id', in: 'path', schema: { type: 'string' } },
          { name: 'floor', in: 'query', schema: { type: 'integer' } },
          { name: 'side', in: 'query', schema: { type: 'string' } },
        ] as { name: string; in: string; schema: object; example?: unknown }[],
        responses: {
          200: { content: { 'application/json': {} as { examples?: Record<string, { value: unknown }> } } },
        },
      },
    },
  },
};
type Description = typeof DESCRIPTION;

describe('examples', () => {
  let folder: string;
  let service: Awaited<ReturnType<typeof startAnswers>>;
  const writing = process.env.WRITE_EXAMPLES;
  const open = () => keepExamples(pathToFileURL(`${folder}/`));
  /** The description of the operation after a call with this response. */
  async function describedAfter(answer: object, replaced: Record<string, string> = {}) {
    service = await startAnswers({ [`GET /rooms/${ID}`]: answer });
    const { keep, replace, end } = open();
    keep('rooms.get', await supertest(service.url).get(`/rooms/${ID}`).query({ floor: '1' }));
    for (const [value, shown] of Object.entries(replaced)) replace(value, shown);
    const { kept, stored } = end();
    expect(stored).toEqual(kept);
    return (JSON.parse(readFileSync(path.join(folder, 'openapi.json'), 'utf8')) as Description).paths['/rooms/{id}']
      .get;
  }
  async function bodyOf(answer: object, replaced?: Record<string, string>) {
    const { responses } = await describedAfter(answer, replaced);
    return responses[200].content['application/json'].examples!['rooms.get']!.value;
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dtplatform-examples-'));
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(DESCRIPTION));
    process.env.WRITE_EXAMPLES = '1';
  });
  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
    if (writing === undefined) delete process.env.WRITE_EXAMPLES;
    else process.env.WRITE_EXAMPLES = writing;
  });

  it('contain the parameters of the call and the response, with ids numbered in order', async () => {
    const { parameters, responses } = await describedAfter({ _id: ID, other: 'f'.repeat(24) });
    const [first, second] = ['66f0c0de0000000000000001', '66f0c0de0000000000000002'];
    expect(parameters.map(({ example }) => example)).toEqual([first, 1, undefined]);
    expect(responses[200].content['application/json'].examples).toEqual({
      'rooms.get': { value: { _id: first, other: second } },
    });
  });

  it('replace the examples of earlier runs', async () => {
    const stale = structuredClone(DESCRIPTION);
    const { parameters, responses } = stale.paths['/rooms/{id}'].get;
    parameters[2]!.example = 'stale';
    responses[200].content['application/json'].examples = { 'rooms.gone': { value: {} } };
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(stale));
    const described = await describedAfter({});
    expect(described.parameters[2]).not.toHaveProperty('example');
    expect(described.responses[200].content['application/json'].examples).toEqual({ 'rooms.get': { value: {} } });
  });

  it('contain one fixed time for times of the run, whole hours later for later ones, and earlier ones unchanged', async () => {
    const now = Date.now();
    const body = await bodyOf({
      ...{ now, later: now + 72 * HOUR_MS, date: new Date(now).toISOString() },
      ...{ earlier: now - 48 * HOUR_MS, earlierDate: '2026-03-02T08:00:00Z' },
      _timeTakenInSecs: 0.713,
    });
    expect(body).toEqual({
      ...{ now: FIXED_MS, later: FIXED_MS + 72 * HOUR_MS, date: '2026-01-01T00:00:00.000Z' },
      ...{ earlier: now - 48 * HOUR_MS, earlierDate: '2026-03-02T08:00:00Z' },
      _timeTakenInSecs: 2,
    });
  });

  it('contain no tokens, signatures or secrets', async () => {
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const answer = {
      token: `${part({ alg: 'ES256' })}.${part({ sub: 'olga' })}.c2ln`,
      url: 'http://127.0.0.1:9000/bucket/key?X-Amz-Signature=0123',
      secret: 'with "quotes"',
      text: 'and with "quotes" inside',
    };
    expect(await bodyOf(answer, { 'with "quotes"': 'the "secret"' })).toEqual({
      token: 'the-access-token',
      url: 'https://objects.example.com/signed',
      secret: 'the "secret"',
      text: 'and the "secret" inside',
    });
  });

  it('are rejected for another operation or another path', async () => {
    service = await startAnswers({ 'GET /halls/1': {} });
    const response = await supertest(service.url).get('/halls/1');
    const { keep } = open();
    expect(() => keep('rooms.get', response)).toThrow('/halls/1 is not /rooms/{id}');
    expect(() => keep('halls.get', response)).toThrow('openapi.json has no operation halls.get with the method get');
  });
});
