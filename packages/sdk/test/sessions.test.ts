import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSession, memoryStore, NetworkError, SignedOutError } from '@dtplatform/sdk';
import type { Session, SessionStore } from '@dtplatform/sdk';
import { eventually } from '@dtplatform/testing';
import { cut, json, refusal, startScriptedServer } from './scripted-server.js';

const server = await startScriptedServer();
afterAll(() => server.close());

describe('renewal of a session', () => {
  let store: SessionStore;
  let session: Session;
  const renewed = json(200, { access_token: 'new', refresh_token: 'next', expires_in: 3600 });
  const used = () => server.requests.map(({ body }) => new URLSearchParams(body).get('refresh_token'));

  beforeEach(async () => {
    store = memoryStore();
    await store.set('tokens', JSON.stringify({ accessToken: 'old', refreshToken: 'first', renewAt: 0 }));
    const redirectUri = 'http://127.0.0.1/';
    session = createSession({ baseUrl: server.url, clientId: 'app', redirectUri, store });
  });

  /** The next response waits until the returned function is called. */
  const holdAnswer = () => {
    let answer = () => undefined as unknown;
    server.script((res, seen) => {
      answer = () => renewed(res, seen);
    });
    return () => answer();
  };

  it('is retried after a lost connection or a 503', async () => {
    server.script(cut, refusal(503, 'LATER', { 'retry-after': '0' }), renewed);
    expect(await session.token()).toBe('new');
    expect(used()).toEqual(['first', 'first', 'first']);
    expect(await session.token()).toBe('new');
  });

  it('keeps the session while the platform is unavailable', async () => {
    server.script(cut);
    await expect(session.token()).rejects.toThrow(NetworkError);
    expect(await session.isSignedIn()).toBe(true);
    server.script(renewed);
    expect(await session.token()).toBe('new');
  });

  it('ends the session when the platform no longer knows it', async () => {
    server.script(json(400, { error: 'invalid_grant', error_description: 'It has ended.' }));
    await expect(session.token()).rejects.toThrow(SignedOutError);
    expect(await session.isSignedIn()).toBe(false);
  });

  it('does not restore a session that ended during the renewal', async () => {
    const answer = holdAnswer();
    const token = session.token();
    await eventually(() => expect(server.requests).toHaveLength(1));
    const signedOut = session.signOut();
    server.script(renewed, json(400, { error: 'invalid_grant' }));
    answer();
    await Promise.all([token, signedOut]);
    expect(await session.isSignedIn()).toBe(false);
  });

  it('continues for others when one caller gives up', async () => {
    const answer = holdAnswer();
    const stop = new AbortController();
    const [impatient, patient] = [session.token({ signal: stop.signal }), session.token()];
    const arrived = eventually(() => expect(server.requests).toHaveLength(1));
    await Promise.all([
      expect(impatient).rejects.toThrow('enough'),
      arrived.then(() => {
        stop.abort(new Error('enough'));
        answer();
      }),
    ]);
    expect(await patient).toBe('new');
    expect(used()).toEqual(['first']);
  });

  it('is impossible after the user has signed out, because the token was used twice', async () => {
    server.script(renewed, json(400, { error: 'invalid_grant' }));
    expect(await session.signOut()).toContain('/logout?client_id=app');
    expect(used()).toEqual(['first', 'first']);
    expect(await session.isSignedIn()).toBe(false);
  });

  it('is over when the user signs out while the platform is unavailable', async () => {
    server.script(refusal(500, 'FAILED'));
    expect(await session.signOut()).toContain('/logout');
    expect(await session.isSignedIn()).toBe(false);
  });

  it('is not repeated for a token that was already replaced', async () => {
    server.script(renewed);
    expect(await session.token()).toBe('new');
    expect(await session.token({ rejected: 'old' })).toBe('new');
    expect(used()).toEqual(['first']);
  });
});
