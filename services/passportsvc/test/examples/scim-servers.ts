import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { PATIENT } from '../delivery-client.js';
import { startScimServer } from '../scim-server.js';
import { GIVE_UP_SEC } from './story.js';
import type { Story } from './story.js';

const SCIM = '/auth/realms/master/scim';

/** A server receives new users; one delivery is given up, since the server responds too late. */
export async function keepScimServers(story: Story): Promise<void> {
  const remote = await startScimServer();
  const worker = await story.app.startWorker();
  try {
    const url = new URL(remote.registration.baseUrl).origin;
    story.replace(url, 'https://scim.example.com');
    story.replace(remote.registration.clientId, 'dtplatform');
    story.replace(remote.registration.clientSecret, 'the-secret-of-the-client');
    await keepRegistration(story, remote.registration);
    remote.state.fault = (_call, res) => void setTimeout(() => res.writeHead(503).end(), GIVE_UP_SEC * 1000 + 100);
    await keepDeliveries(story);
  } finally {
    await worker.stop();
    await remote.close();
  }
}

async function keepRegistration({ app, keep, trusted }: Story, registration: object): Promise<void> {
  const get = (path: string) => app.send('get', `${SCIM}${path}`, trusted).expect(200);
  const post = (path: string, body: object) => app.send('post', `${SCIM}${path}`, trusted, body).expect(201);
  const server = await post('/servers', registration);
  keep('scimServers.create', server);
  const scimServerDetailId = server.body.id as string;
  keep('scimServers.list', await get('/servers'));
  keep('scimServers.get', await get(`/servers/${scimServerDetailId}`));
  const listener = await post('/listeners', { scimServerDetailId, eventName: 'CREATE', realmId: 'iam' });
  keep('scimListeners.create', listener);
  keep('scimListeners.list', await get('/listeners'));
  keep('scimListeners.get', await get(`/listeners/${listener.body.id as string}`));
}

async function keepDeliveries({ app, keep, send, trusted }: Story): Promise<void> {
  const user = { userName: 'dana.okoye@example.com', name: { givenName: 'Dana', familyName: 'Okoye' } };
  const { body } = await send('post', '/scim/Users', trusted, user).expect(201);
  const call = (method: 'get' | 'post', path: string) =>
    app.send(method, `${SCIM}/deliveries${path}`, trusted).expect(200);
  const failed = await eventually(async () => {
    const listed = await call('get', `?userId=${body.id as string}&status=FAILED`);
    expect(listed.body._list).toHaveLength(1);
    return listed;
  }, PATIENT);
  keep('scimDeliveries.list', failed);
  const { id } = failed.body._list[0] as { id: string };
  keep('scimDeliveries.get', await call('get', `/${id}`));
  keep('scimDeliveries.retry', await call('post', `/${id}/retry`));
}
