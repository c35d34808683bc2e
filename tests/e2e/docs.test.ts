import { describe, expect, it } from '@jest/globals';
import { send, SERVICES } from './support/platform.js';

describe('the documentation', () => {
  it('is at /docs, with guides, the reference and Swagger UI', async () => {
    for (const path of ['', 'guides/first-app', 'reference/filesvc/files', 'services/filesvc', 'swagger/']) {
      const page = await send('GET', `/docs/${path}`);
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    }
    expect((await send('GET', '/docs')).headers.get('location')).toBe('/docs/');
  });

  it('lets Swagger UI choose between the descriptions of all services', async () => {
    const script = await send('GET', '/docs/swagger/start.js');
    for (const service of SERVICES) expect(script.body).toContain(`/${service}/api/v1/openapi.json`);
  });
});
