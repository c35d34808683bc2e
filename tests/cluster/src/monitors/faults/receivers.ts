import { until } from '@dtplatform/stack';
import type { Caller } from '@dtplatform/stack/client';
import { runInPod } from '../../tools/in-pod.js';
import { orUndo, stop, type Fault, type Lab } from '../fault.js';
import { RECEIVER } from '../receiver.js';

const SCIM = '/auth/realms/master/scim';
const PASSPORT = '/passportsvc/api/v1';
/** More than the 10 mails that may wait. */
const INVITED = 12;
const DELIVERED_WITHIN_MS = 120_000;

async function inviteSomebody({ user: { caller } }: Lab): Promise<void> {
  const json = [{ _name: `Group ${Date.now()}` }];
  const created = await caller.call<{ _list: { _id: string }[] }>('POST', `${PASSPORT}/usergroups`, {
    json,
    expect: 201,
  });
  const invites = Array.from({ length: INVITED }, (_, n) => ({ _email: `guest${n}@example.com` }));
  const path = `${PASSPORT}/usergroups/${created.body._list[0]!._id}/invites`;
  await caller.call('POST', path, { json: invites, expect: 201 });
}

async function registerServer(admin: Caller): Promise<string> {
  const url = `http://${RECEIVER}:8080`;
  const server = { baseUrl: `${url}/Users`, tokenUrl: `${url}/token`, clientId: 'test', clientSecret: 'test' };
  const { body } = await admin.call<{ id: string }>('POST', `${SCIM}/servers`, { json: server, expect: 201 });
  const listener = { scimServerDetailId: body.id, eventName: 'UPDATE', realmId: 'iam' };
  await admin.call('POST', `${SCIM}/listeners`, { json: listener, expect: 201 });
  return body.id;
}

const change = (admin: Caller, userId: string, displayName: string) =>
  admin.call('PATCH', `${PASSPORT}/scim/Users/${userId}`, {
    json: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'displayName', value: displayName }],
    },
  });

/** Retries failed deliveries manually, as an operator does. @returns whether the server has received everything */
async function retryDeliveries(admin: Caller, scimServerDetailId: string): Promise<boolean> {
  const list = async (status: string) => {
    const query = { scimServerDetailId, status };
    return (await admin.call<{ _list: { id: string }[] }>('GET', `${SCIM}/deliveries`, { query })).body._list;
  };
  const failed = await list('FAILED');
  for (const { id } of failed) await admin.call('POST', `${SCIM}/deliveries/${id}/retry`);
  return failed.length === 0 && (await list('PENDING')).length === 0;
}

/** Makes mails due now that would be retried later. */
const sendNow = `
import { Queue } from 'bullmq';
const queue = new Queue('passportsvc.mail', { connection: { host: 'redis' }, prefix: '{dtplatform.passportsvc.mail}' });
await queue.promoteJobs();
await queue.close();`;

export const receiversAreStopped: Fault = {
  what: 'The mail server and a SCIM server are stopped',
  fires: {
    MailsAreNotSent: ['passportsvc'],
    ScimDeliveriesWait: ['passportsvc'],
    ScimDeliveriesFailed: ['passportsvc'],
  },
  async make(lab) {
    const { admin, signal, user, kubectl } = lab;
    const start = await stop(lab, `deployment/${RECEIVER}`);
    const server = await orUndo(start, async () => {
      const id = await registerServer(admin);
      await change(admin, user.id, 'Changed');
      await inviteSomebody(lab);
      return id;
    });
    return async () => {
      await start();
      await runInPod(kubectl, 'deployment/passportsvc-worker', sendNow);
      const isDelivered = () => retryDeliveries(admin, server);
      await until('users are delivered', isDelivered, { timeoutMs: DELIVERED_WITHIN_MS, everyMs: 1000, signal });
      await admin.call('DELETE', `${SCIM}/servers/${server}`, { expect: 204 });
    };
  },
};
