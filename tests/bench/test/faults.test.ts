import type { RequestListener } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createAcknowledged } from '../src/faults/acknowledged.js';
import { observe, violationsIn } from '../src/faults/observer.js';
import { callerOf, notFound } from './caller-of.js';

const { signal } = new AbortController();
const DURING = { beganAtMs: 0, overAtMs: Infinity };

describe('the test of faults', () => {
  /** Calls, once, a platform that responds like `answer`. */
  const observed = async (answer: RequestListener) => {
    const caller = await callerOf(answer);
    const observer = observe([['read', async () => void (await caller.call('GET', '/files'))]]);
    await observer.actions[0]![1]();
    return observer;
  };
  const retryLater = { 'retry-after': '1' };

  it.each([
    ['503 with Retry-After', (_req, res) => res.writeHead(503, retryLater).end()],
    ['429 of a full queue', (_req, res) => res.writeHead(429, retryLater).end()],
    ['a connection that ends early', (_req, res) => res.destroy()],
  ] as [string, RequestListener][])('accepts %s while a fault lasts', async (_what, answer) => {
    const failures = (await observed(answer)).failures();
    expect(failures).toHaveLength(1);
    expect(violationsIn(failures, DURING)).toEqual([]);
  });

  it.each([
    ['503 without Retry-After', (_req, res) => res.writeHead(503).end()],
    ['502', (_req, res) => res.writeHead(502, retryLater).end()],
    ['404', notFound],
  ] as [string, RequestListener][])('reports %s', async (status, answer) => {
    const failures = (await observed(answer)).failures();
    expect(violationsIn(failures, DURING)).toEqual([
      expect.stringContaining(`answered ${status.slice(0, 3)}, not 200`),
    ]);
  });

  it('reports a 503 before a fault and after its time limit', async () => {
    const failures = (await observed((_req, res) => res.writeHead(503, retryLater).end())).failures();
    expect(violationsIn(failures, { beganAtMs: Infinity, overAtMs: Infinity })).toHaveLength(1);
    expect(violationsIn(failures, { beganAtMs: 0, overAtMs: 0 })).toHaveLength(1);
  });

  it('lists the actions that have not succeeded since a time', async () => {
    const beforeMs = Date.now();
    const observer = await observed((_req, res) => res.end());
    expect(observer.missingSince(beforeMs)).toEqual([]);
    expect(observer.missingSince(Date.now() + 1)).toEqual(['read']);
  });

  it('reports a lost write and late work', async () => {
    const caller = await callerOf(notFound);
    const user = { id: 'u', credentials: { email: '', password: '' }, caller, namespace: 'n' };
    const acknowledged = createAcknowledged(user, signal);
    acknowledged.written('user u1', () => caller.call('GET', '/users/u1'));
    acknowledged.accepted('mail to a', () => Promise.resolve('done'));
    acknowledged.accepted('mail to b', () => Promise.resolve('not sent'));
    expect(await acknowledged.verify()).toEqual([expect.stringMatching(/^user u1 is lost: .* answered 404/)]);
    const limits = { endedAtMs: 0, limitMs: 0, patienceMs: 0 };
    expect(await acknowledged.untilDone(limits)).toEqual(['mail to b is still not sent']);
  });
});
