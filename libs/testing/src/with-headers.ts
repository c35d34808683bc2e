import { randomUUID } from 'node:crypto';
import type supertest from 'supertest';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/** The same service, called with strict handling and an idempotency key in each POST. */
export function withHeaders<A extends { api: ReturnType<typeof supertest> }>(app: A): A {
  const api = Object.create(app.api) as A['api'];
  for (const method of METHODS) {
    api[method] = (url) => {
      const request = app.api[method](url).set('prefer', 'handling=strict');
      return method === 'post' ? request.set('idempotency-key', randomUUID()) : request;
    };
  }
  return { ...app, api };
}
