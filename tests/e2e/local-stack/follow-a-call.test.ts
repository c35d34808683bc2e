import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DevJson, SERVICES, silentReport, type Stack, startStack } from '@dtplatform/stack';
import { eventually, startOtlpCollector } from '@dtplatform/testing';
import { enter, openWorkspace } from '../support/people.js';
import { dev, devJsonFile, sendTo } from '../support/platform.js';

const MINUTES = 60_000;
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Uploads a file as part of a trace that the caller began, and gives its ids. */
async function upload(target: DevJson) {
  const owner = await enter(target);
  const namespace = await openWorkspace(owner, target);
  const requestId = `upload-${randomBytes(8).toString('hex')}`;
  const traceId = randomBytes(16).toString('hex');
  const parentId = randomBytes(8).toString('hex');
  const body = new FormData();
  body.set('_namespaces', namespace);
  body.set('file', new Blob([Buffer.from(PNG, 'base64')]), 'pixel.png');
  const reply = await sendTo(target.baseUrl, 'POST', '/filesvc/api/v1/files', {
    ...{ token: owner.token, query: { nsfilter: namespace }, body },
    headers: { 'x-request-id': requestId, traceparent: `00-${traceId}-${parentId}-01` },
  });
  expect(reply.status).toBe(201);
  expect(reply.headers.get('x-request-id')).toBe(requestId);
  return { requestId, traceId, parentId };
}

describe('the logs', () => {
  const logsDir = path.join(path.dirname(devJsonFile), 'logs');
  const linesOf = async (process: string) => {
    const text = await readFile(path.join(logsDir, `${process}.log`), 'utf8');
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('follow an upload from the gateway to its previews', async () => {
    const { requestId, traceId } = await upload(dev);
    await eventually(async () => {
      for (const [process, line] of [
        ['filesvc', { operation: 'files.upload', status: 201 }],
        ['filesvc-worker', { message: 'previews.make.v1', msg: 'message enqueued' }],
        ['filesvc-worker', { message: 'previews.make.v1', msg: 'job done' }],
      ] as const) {
        const mine = (await linesOf(process)).filter((entry) => entry.requestId === requestId);
        expect(mine).toContainEqual(expect.objectContaining({ ...line, traceId }));
      }
    });
  });

  it('name the code of a refused request', async () => {
    const requestId = `refused-${randomBytes(8).toString('hex')}`;
    const headers = { 'x-request-id': requestId };
    expect((await sendTo(dev.baseUrl, 'GET', '/filesvc/api/v1/files', { headers })).status).toBe(401);
    await eventually(async () => {
      const mine = (await linesOf('filesvc')).filter((entry) => entry.requestId === requestId);
      expect(mine).toMatchObject([{ status: 401, code: 'UNAUTHORIZED' }]);
    });
  });
});

/** A stack of its own: the others do not trace. */
describe('the spans', () => {
  let collector: Awaited<ReturnType<typeof startOtlpCollector>>;
  let stateDir: string;
  let stack: Stack;

  beforeAll(async () => {
    collector = await startOtlpCollector();
    stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-traces-'));
    const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
    const tracing = { ...collector.env, OTEL_BSP_SCHEDULE_DELAY: '200' };
    const needed = ['passportsvc', 'objectmodelsvc', 'filesvc', 'itemsvc', 'metricsvc'];
    const services = SERVICES.filter(({ name }) => needed.includes(name));
    stack = await startStack({ stateDir, report: silentReport, env: { ...env, ...tracing }, services });
  }, 3 * MINUTES);
  afterAll(async () => {
    await stack.stop();
    await collector.close();
    await rm(stateDir, { recursive: true, force: true });
  }, MINUTES);

  it(
    'of an upload and of its usage, of no other call at that time, are in the trace of the caller',
    async () => {
      const { traceId, parentId } = await upload(stack.dev);
      await eventually(() => {
        const spans = collector.spans.filter((span) => span.traceId === traceId);
        const operation = spans.find(({ name }) => name === 'files.upload');
        expect(operation).toMatchObject({
          ...{ service: 'filesvc', parentSpanId: parentId },
          attributes: { 'http.route': '/filesvc/api/v1/files', 'http.response.status_code': 201 },
        });
        const job = spans.find(({ name }) => name === 'usage.batch.v1');
        expect(job).toMatchObject({ service: 'metricsvc-worker', parentSpanId: operation!.spanId });
      });
    },
    MINUTES,
  );
});
