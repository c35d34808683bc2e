import { describe, expect, it } from '@jest/globals';
import { send, SERVICES } from '../support/platform.js';

describe('the page of the API reference', () => {
  it('is one for all services', async () => {
    const page = await send('GET', '/docs/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const script = await send('GET', '/docs/start.js');
    for (const service of SERVICES) expect(script.body).toContain(`/${service}/api/v1/openapi.json`);
    for (const [, asset] of (page.body as string).matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect([asset, (await send('GET', `/docs/${asset}`)).status]).toEqual([asset, 200]);
  });
});
