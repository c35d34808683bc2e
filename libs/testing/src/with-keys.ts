import { randomUUID } from 'node:crypto';
import type supertest from 'supertest';

/** The same service, with an idempotency key in each POST. */
export function withKeys<A extends { api: ReturnType<typeof supertest> }>(app: A): A {
  const api = Object.create(app.api) as A['api'];
  api.post = (url) => app.api.post(url).set('idempotency-key', randomUUID());
  return { ...app, api };
}
