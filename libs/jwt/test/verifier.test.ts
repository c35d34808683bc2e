import { createHmac } from 'node:crypto';
import { mock } from 'node:test';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { base64url, exportSPKI, importJWK, SignJWT } from 'jose';
import { AppError } from '@dtplatform/errors';
import { createVerifier } from '../src/index.js';
import { newKey, startKeyServer } from './key-server.js';
import type { SigningKey } from './key-server.js';

const ISSUER = 'https://platform.test/passportsvc/api/v1/oauth';
const AUDIENCE = 'https://platform.test';
const claims = { client_id: 'app-1', authorities: ['ROLE_USER'], name: 'Olga' };
const nowSec = () => Math.floor(Date.now() / 1000);

interface TokenOptions {
  key: SigningKey;
  more?: Record<string, unknown>;
  header?: Record<string, unknown>;
  issuer?: string;
  issuedAtSec?: number;
  expiresAtSec?: number;
}
const issue = ({ key, more = {}, header = {}, issuer = ISSUER, ...times }: TokenOptions) =>
  new SignJWT({ aud: AUDIENCE, ...claims, ...more })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
    .setIssuer(issuer)
    .setSubject('user-1')
    .setJti('jti-1')
    .setIssuedAt(times.issuedAtSec ?? nowSec())
    .setExpirationTime(times.expiresAtSec ?? nowSec() + 60)
    .sign(key.privateKey);

const [ec, rsa] = await Promise.all([newKey('ec'), newKey('rsa', 'RS256')]);
const server = await startKeyServer([ec, rsa]);
afterEach(() => {
  mock.timers.reset();
  server.behave('keys');
  server.serve([ec, rsa]);
});
afterAll(() => server.close());

const verifier = (issuer = ISSUER) => createVerifier({ issuer, audience: AUDIENCE, keys: server.url });
async function rejection(token: string, verify = verifier()): Promise<AppError> {
  try {
    await verify(token);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('the token was accepted');
}
/** Advances the clock without timers. */
function moveClock(sec: number): void {
  const now = Date.now() + sec * 1000;
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now });
}
/** Changes a token's header or claims without signing it again. */
function tamper(token: string, part: 0 | 1, change: Record<string, unknown>): string {
  const parts = token.split('.');
  const value = JSON.parse(Buffer.from(parts[part]!, 'base64url').toString()) as object;
  parts[part] = base64url.encode(JSON.stringify({ ...value, ...change }));
  return parts.join('.');
}

describe('a token of the platform', () => {
  it.each(['ec', 'rsa'])('yields its principal (%s)', async (kid) => {
    const token = await issue({ key: kid === 'ec' ? ec : rsa, more: { grant_id: 'grant-1' } });
    expect(await verifier()(token)).toEqual({
      kind: 'user',
      id: 'user-1',
      name: 'Olga',
      appId: 'app-1',
      grantId: 'grant-1',
      token,
      issuedAtSec: expect.any(Number),
      expiresAtSec: expect.any(Number),
    });
  });

  it('may have several audiences', async () => {
    const aud = ['https://other.test', AUDIENCE];
    expect(await verifier()(await issue({ key: ec, more: { aud } }))).toMatchObject({ id: 'user-1' });
  });

  it("that acts for a subject names the acting app beside the subject's app", async () => {
    const more = { app_id: 'app-2', act: { sub: 'app-1' } };
    expect(await verifier()(await issue({ key: ec, more }))).toMatchObject({ appId: 'app-2', actorId: 'app-1' });
  });

  it.each([
    [['ROLE_USER'], 'user'],
    [['ROLE_USER', 'ROLE_ADMIN'], 'admin'],
    [['ROLE_APP'], 'app'],
    [['ROLE_APP', 'ROLE_TRUSTED_CLIENT'], 'trusted'],
  ])('with the authorities %j yields a principal of kind %s', async (authorities, kind) => {
    expect(await verifier()(await issue({ key: ec, more: { authorities } }))).toMatchObject({ kind });
  });

  it('is verified once, and afterwards accepted without the key server', async () => {
    const verify = verifier();
    const token = await issue({ key: ec });
    const principal = await verify(token);
    server.behave('error');
    expect(verify(token)).toBe(principal);
  });

  it.each([
    [3600, 62],
    // The tolerance would multiply a short lifetime.
    [5, 1],
  ])(
    'with a lifetime of %i s is rejected %i s after it has expired, whether cached or not',
    async (livesSec, afterSec) => {
      const verify = verifier();
      const token = await issue({ key: ec, expiresAtSec: nowSec() + livesSec });
      await verify(token);
      moveClock(livesSec + afterSec);
      const remembered = await rejection(token, verify);
      expect(remembered).toMatchObject({ status: 401, message: 'The access token has expired.' });
      expect(remembered.headers['www-authenticate']).toBe(
        'Bearer error="invalid_token", error_description="The access token has expired."',
      );
      expect(await rejection(token)).toMatchObject({ status: 401, message: 'The access token has expired.' });
    },
  );

  it('is accepted for almost a minute after it has expired, whether cached or not, because of clock skew', async () => {
    const verify = verifier();
    const token = await issue({ key: ec, expiresAtSec: nowSec() + 3600 });
    await verify(token);
    moveClock(3658);
    expect(await verify(token)).toMatchObject({ id: 'user-1' });
    expect(await verifier()(token)).toMatchObject({ id: 'user-1' });
  });

  it.each([
    ['iat', { issuedAtSec: 58 }, { issuedAtSec: 63 }],
    ['nbf', { nbf: 58 }, { nbf: 63 }],
  ])('is accepted for almost a minute before its %s, not earlier', async (_claim, near, far) => {
    const expiresAtSec = nowSec() + 3600;
    const issueAt = ({ issuedAtSec = 0, nbf }: { issuedAtSec?: number; nbf?: number }) =>
      issue({
        ...{ key: ec, expiresAtSec, issuedAtSec: nowSec() + issuedAtSec },
        ...(nbf !== undefined && { more: { nbf: nowSec() + nbf } }),
      });
    expect(await verifier()(await issueAt(near))).toMatchObject({ id: 'user-1' });
    expect(await rejection(await issueAt(far))).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });
});

describe('any other token', () => {
  it.each<[string, unknown]>([
    ['aud', undefined],
    ['aud', ['https://other.test', `${AUDIENCE}/`]],
    ['aud', []],
    ['aud', 7],
    ['aud', { a: AUDIENCE }],
    ['typ', undefined],
    ['typ', 'JWT'],
    ['authorities', undefined],
    ['authorities', []],
    ['authorities', ['ROLE_WIZARD']],
    ['authorities', 'ROLE_ADMIN'],
    ['client_id', undefined],
    ['client_id', ''],
  ])('whose %s is %j is rejected', async (name, value) => {
    const token = await issue({ key: ec, [name === 'typ' ? 'header' : 'more']: { [name]: value } });
    expect(await rejection(token)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });

  it('that was tampered with is rejected', async () => {
    const token = await issue({ key: ec });
    for (const change of [{ sub: 'user-2' }, { authorities: ['ROLE_TRUSTED_CLIENT'] }, { exp: nowSec() + 9999 }]) {
      expect(await rejection(tamper(token, 1, change))).toMatchObject({ status: 401 });
    }
    expect(await rejection(tamper(token, 0, { kid: 'rsa' }))).toMatchObject({ status: 401 });
    expect(await rejection(`${token.slice(0, -4)}AAAA`)).toMatchObject({ status: 401 });
  });

  it('of another key, issuer or audience is rejected differently from a malformed one, without the reason', async () => {
    const evil = { ...(await newKey('evil')), kid: 'ec' };
    const unknown = [
      await issue({ key: evil }),
      await issue({ key: { ...evil, kid: 'evil' } }),
      await issue({ key: ec, issuer: 'https://evil.test' }),
      await issue({ key: ec, more: { aud: 'https://other.test' } }),
      tamper(await issue({ key: ec }), 1, { sub: 'user-2' }),
    ];
    const message = 'The access token is unknown: this platform has not issued it.';
    for (const token of unknown) expect(await rejection(token)).toMatchObject({ status: 401, message });
    for (const token of ['', 'abc', 'a.b', 'a.b.c', 'a.b.c.d.e', '{}', 'e30.e30.e30', 'x'.repeat(10_000), 'ä.ö.ü']) {
      const malformed = 'The access token is malformed: it is not a signed JWT.';
      expect(await rejection(token)).toMatchObject({ status: 401, message: malformed });
    }
  });

  it('that contains its own key is rejected', async () => {
    const evil = await newKey('evil');
    const token = await issue({ key: evil, header: { jwk: evil.jwk, kid: undefined } });
    expect(await rejection(token)).toMatchObject({ status: 401 });
  });

  it('without a signature is rejected', async () => {
    const [, body] = (await issue({ key: ec })).split('.');
    for (const alg of ['none', 'None', 'NONE']) {
      const header = base64url.encode(JSON.stringify({ alg, typ: 'at+jwt' }));
      expect(await rejection(`${header}.${body}.`)).toMatchObject({ status: 401 });
    }
  });

  it('signed with the public key as a shared secret is rejected', async () => {
    const pem = await exportSPKI((await importJWK(rsa.jwk, 'RS256')) as Parameters<typeof exportSPKI>[0]);
    const [, body] = (await issue({ key: rsa })).split('.');
    for (const secret of [pem, pem.trim(), JSON.stringify(rsa.jwk), rsa.jwk.n!]) {
      const header = base64url.encode(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: 'rsa' }));
      const signature = createHmac('sha256', secret).update(`${header}.${body}`).digest('base64url');
      expect(await rejection(`${header}.${body}.${signature}`)).toMatchObject({ status: 401 });
    }
  });
});

describe('the key server', () => {
  it.each<'error' | 'hang-up' | 'nonsense'>(['error', 'hang-up', 'nonsense'])(
    'that responds with %s leads to a 503, and tokens are accepted once it has recovered',
    async (behaviour) => {
      const verify = verifier();
      const token = await issue({ key: ec });
      server.behave(behaviour);
      const error = await rejection(token, verify);
      expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      server.behave('keys');
      expect(await verify(token)).toMatchObject({ id: 'user-1' });
    },
  );

  it('may be unavailable for a long time once its keys are known', async () => {
    const verify = verifier();
    await verify(await issue({ key: ec }));
    server.behave('hang-up');
    moveClock(3600);
    expect(await verify(await issue({ key: rsa, expiresAtSec: nowSec() + 60 }))).toMatchObject({ id: 'user-1' });
    const unknown = await newKey('new');
    expect(await rejection(await issue({ key: unknown }), verify)).toMatchObject({ status: 503 });
    expect(await rejection(tamper(await issue({ key: ec }), 1, { sub: 'x' }), verify)).toMatchObject({ status: 401 });
  });

  it('is asked again for an unknown key, and no longer trusted for a withdrawn one', async () => {
    const verify = verifier();
    await verify(await issue({ key: ec }));
    const next = await newKey('next');
    server.serve([next]);
    moveClock(6);
    expect(await verify(await issue({ key: next }))).toMatchObject({ id: 'user-1' });
    expect(await rejection(await issue({ key: ec, more: { jti: 'other' } }), verify)).toMatchObject({ status: 401 });
  });

  it('is asked once for many concurrent tokens', async () => {
    const verify = verifier();
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => issue({ key: ec, more: { jti: String(n) } })),
    );
    const before = server.requestCount();
    await Promise.all(tokens.map(async (token) => verify(token)));
    expect(server.requestCount() - before).toBe(1);
  });
});
