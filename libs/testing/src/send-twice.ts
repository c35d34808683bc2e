import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

interface Sent {
  status: number;
  body: unknown;
  headers: Record<string, string | undefined>;
}

/**
 * Sends a request twice with the same idempotency key, and fails unless both responses are equal.
 * @param send makes a request of `supertest`
 */
export async function sendTwice<R extends Sent>(
  send: () => PromiseLike<R> & { set(name: string, value: string): PromiseLike<R> },
): Promise<R> {
  const key = randomUUID();
  const first = await send().set('idempotency-key', key);
  const second = await send().set('idempotency-key', key);
  const shown = ({ status, body, headers: { etag, location } }: Sent) => ({ status, body, etag, location });
  deepEqual(shown(second), shown(first));
  equal(second.headers['idempotency-replayed'], 'true');
  return first;
}
