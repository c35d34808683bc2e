import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace } from '../../support/people.js';
import { sendTo } from '../../support/platform.js';
import type { OwnStack } from './own-stack.js';

const MINUTES = 60_000;

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A call is followed through logs and traces. */
export function testFollowingACall(own: OwnStack): void {
  /** Uploads a file in the caller's trace, and returns its ids. */
  async function upload() {
    const owner = await enter(own.stack.dev);
    const namespace = await openWorkspace(owner, own.stack.dev);
    const requestId = `upload-${randomBytes(8).toString('hex')}`;
    const traceId = randomBytes(16).toString('hex');
    const parentId = randomBytes(8).toString('hex');
    const body = new FormData();
    body.set('_namespaces', namespace);
    body.set('file', new Blob([Buffer.from(PNG, 'base64')]), 'pixel.png');
    const reply = await sendTo(own.stack.baseUrl, 'POST', '/filesvc/api/v1/files', {
      ...{ token: owner.token, query: { nsfilter: namespace }, body },
      headers: { 'x-request-id': requestId, traceparent: `00-${traceId}-${parentId}-01` },
    });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('x-request-id')).toBe(requestId);
    return { requestId, traceId, parentId };
  }

  describe('logs', () => {
    const linesOf = async (process: string) => {
      const text = await readFile(path.join(own.stateDir, 'logs', `${process}.log`), 'utf8');
      const lines = text.split('\n').filter((line) => line.startsWith('{'));
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    };

    it('follow an upload from the gateway to its previews', async () => {
      const { requestId, traceId } = await upload();
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

    it('contain the code of a rejected request', async () => {
      const requestId = `refused-${randomBytes(8).toString('hex')}`;
      const headers = { 'x-request-id': requestId };
      expect((await sendTo(own.stack.baseUrl, 'GET', '/filesvc/api/v1/files', { headers })).status).toBe(401);
      await eventually(async () => {
        const mine = (await linesOf('filesvc')).filter((entry) => entry.requestId === requestId);
        expect(mine).toMatchObject([{ status: 401, code: 'UNAUTHORIZED' }]);
      });
    });
  });

  describe('spans', () => {
    it(
      "of an upload and of its usage, and of no concurrent call, are in the caller's trace",
      async () => {
        const { traceId, parentId } = await upload();
        await eventually(() => {
          const spans = own.collector.spans.filter((span) => span.traceId === traceId);
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
}
