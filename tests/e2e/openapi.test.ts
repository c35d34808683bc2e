import { describe, expect, it } from '@jest/globals';
import { describedBy } from './support/openapi.js';
import { send, SERVICES } from './support/platform.js';

describe('the API reference', () => {
  it.each(SERVICES)('%s serves the committed description', async (service) => {
    const reply = await send('GET', `/${service}/api/v1/openapi.json`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.body).toEqual(describedBy(service));
  });
});
