import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';

export interface SigningKey {
  kid: string;
  alg: 'ES256' | 'RS256';
  privateKey: CryptoKey;
  jwk: JWK;
}

export async function newKey(kid: string, alg: 'ES256' | 'RS256' = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Serves public keys as passportsvc does; can be stopped and restarted on the same port. */
export async function startKeyServer(keys: SigningKey[]) {
  let served = keys;
  let answer: 'keys' | 'error' | 'nonsense' | 'hang-up' = 'keys';
  let requests = 0;
  const server = createServer((_req, res) => {
    requests += 1;
    if (answer === 'hang-up') return void res.destroy();
    if (answer === 'error') return void res.writeHead(503).end();
    const body = answer === 'keys' ? { keys: served.map(({ jwk }) => jwk) } : { no: 'keys' };
    res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`),
    requestCount: () => requests,
    serve: (next: SigningKey[]) => (served = next),
    behave: (next: typeof answer) => (answer = next),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
