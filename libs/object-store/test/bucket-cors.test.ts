import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, openStore } from './support.js';

interface Rejection {
  status: number;
  /** The code in the body; some stores send no body. */
  code?: string;
}

const bodyOf = (code?: string) => (code ? `<Error><Code>${code}</Code><Message>No.</Message></Error>` : '');
const NO_RULES: Rejection = { status: 404, code: 'NoSuchCORSConfiguration' };

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A store that rejects reading and setting the rules of a bucket in these ways. */
async function startStore(reading: Rejection, setting: Rejection) {
  const server = createServer((req, res) => {
    const { status, code } = req.method === 'GET' ? reading : setting;
    req.resume().once('end', () => res.writeHead(status, { 'content-type': 'application/xml' }).end(bodyOf(code)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const store = openStore({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  open.push(async () => {
    store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return store;
}

describe('ensureCors', () => {
  it.each<[Rejection, string]>([
    [{ status: 501, code: 'NotImplemented' }, 'NotImplemented'],
    [{ status: 405, code: 'MethodNotAllowed' }, 'MethodNotAllowed'],
    [{ status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    [{ status: 400, code: 'MalformedXML' }, 'MalformedXML'],
  ])('returns the name of the error when the store rejects rules with %j', async (rejection, name) => {
    expect(await (await startStore(NO_RULES, rejection)).ensureCors()).toBe(name);
    expect(await (await startStore(rejection, rejection)).ensureCors()).toBe(name);
  });

  it.each<Rejection>([
    { status: 403, code: 'InvalidAccessKeyId' },
    { status: 403, code: 'SignatureDoesNotMatch' },
    { status: 404, code: 'NoSuchBucket' },
    { status: 400, code: 'InvalidRequest' },
  ])('fails while the store responds with %j', async (rejection) => {
    const failures = [await startStore(NO_RULES, rejection), await startStore(rejection, rejection)].map((store) =>
      failureOf(store.ensureCors()),
    );
    for (const failure of await Promise.all(failures)) expect(failure).toMatchObject({ name: rejection.code });
  });
});
