import { expect, it } from '@jest/globals';
import { send } from './support/platform.js';

it('serves the documentation at /docs, with guides and the reference, and leads to it from addresses that readers guess', async () => {
  for (const path of [
    '',
    'guides/first-app',
    'reference/filesvc/files',
    'reference/filesvc/files/get',
    'services/filesvc',
  ]) {
    const page = await send('GET', `/docs/${path}`);
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
  }
  const guesses = {
    '': '/docs/',
    '/swagger/': '/docs/reference/',
    '/reference/filesvc.files.get': '/docs/reference/filesvc/files/get',
  };
  for (const [guess, page] of Object.entries(guesses))
    expect((await send('GET', `/docs${guess}`)).headers.get('location')).toBe(page);
});
