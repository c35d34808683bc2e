import { describe, expect, it } from '@jest/globals';
import { describedBy } from './support/openapi.js';
import { send, SERVICES } from './support/platform.js';

describe('the API reference', () => {
  it.each(SERVICES)('%s serves the description that is committed', async (service) => {
    const reply = await send('GET', `/${service}/api/v1/openapi.json`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.body).toEqual(describedBy(service));
  });

  it('is one page for all services', async () => {
    const page = await send('GET', '/docs/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const script = await send('GET', '/docs/start.js');
    for (const service of SERVICES) expect(script.body).toContain(`/${service}/api/v1/openapi.json`);
    for (const [, asset] of (page.body as string).matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect([asset, (await send('GET', `/docs/${asset}`)).status]).toEqual([asset, 200]);
  });
});
