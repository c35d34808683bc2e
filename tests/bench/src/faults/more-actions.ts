import { createHash, randomBytes } from 'node:crypto';
import { readMails } from '@dtplatform/stack/mail';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, createCaller, type Caller, FILES, FILESTORE, PERMISSIONS } from '@dtplatform/stack/client';
import { type Action, type LoadUser, scimUser, storeFile } from '../callers/index.js';
import type { Acknowledged } from './acknowledged.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const WORKSPACES = '/passportsvc/api/v1/workspaces';
const GROUPS = '/passportsvc/api/v1/usergroups';
const UPLOAD_BYTES = 16 * 1024;
const MAILS_KEPT_MS = 500;
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="90"><circle r="40" fill="red"/></svg>';

interface Place {
  dev: DevJson;
  user: LoadUser;
  acknowledged: Acknowledged;
  /** The stack's folder of caught mails. */
  mailDirectory: string;
  signal: AbortSignal;
}

/** Writes beside those of the shared load, and work that continues after it is acknowledged. */
export async function createMoreActions({ dev, user, acknowledged, mailDirectory, signal }: Place): Promise<Action[]> {
  const { access_token: token } = await clientCredentials(dev);
  const admin = createCaller({ baseUrl: dev.baseUrl, token, signal });
  const ofSecond = await clientCredentials({ ...dev, ...dev.second });
  const app = createCaller({ baseUrl: dev.baseUrl, token: ofSecond.access_token, signal });
  const { caller } = user;
  const createUser = async () => {
    const email = `${unique()}@example.com`;
    const json = scimUser(email, unique());
    const { body } = await admin.call<{ id: string }>('POST', USERS, { json, expect: 201 });
    acknowledged.written(`user ${body.id}`, () => admin.call('GET', `${USERS}/${body.id}`));
  };
  const createWorkspace = async () => {
    const json = [{ _name: 'Load', _shortName: unique() }];
    const { body } = await caller.call<List>('POST', WORKSPACES, { json, expect: 201 });
    const id = body._list[0]!._id;
    acknowledged.written(`workspace ${id}`, () => caller.call('GET', `${WORKSPACES}/${id}`));
  };
  return Object.entries({
    ...{ createUser, createWorkspace, grant: granting(user, acknowledged) },
    revoke: revoking({ admin, app, appId: dev.second.appId, _namespace: user.namespace, acknowledged }),
    ...{ uploadResumably: uploading(user, acknowledged), putPicture: picturing(user, acknowledged) },
    ...{ loadGraphics: loading(user, acknowledged), invite: await inviting(caller, acknowledged, mailDirectory) },
  });
}

interface Written {
  _list: { _success: { _id: string }[] };
}

interface Checks {
  _list: { _allowed: boolean }[];
}

interface List {
  _list: { _id: string }[];
}

function granting({ id, caller, namespace: _namespace }: LoadUser, acknowledged: Acknowledged) {
  return async () => {
    const _irn = `itemsvc:nameduseritem:${randomBytes(12).toString('hex')}`;
    const json = [{ _namespace, _resourceDesc: { _irn }, _user: { _type: 'user', _id: id }, _actions: ['READ'] }];
    await caller.call('PUT', PERMISSIONS, { json });
    const user = { '_user._type': 'user', '_user._id': id };
    const query = { _namespace, '_resourceDesc._irn': _irn, ...user, patternmatch: false };
    acknowledged.written(`permission on ${_irn}`, async () => {
      const { body } = await caller.call<List>('GET', PERMISSIONS, { query });
      if (body._list.length === 0) throw new Error('the list is empty');
    });
  };
}

interface Revoking {
  admin: Caller;
  app: Caller;
  appId: string;
  _namespace: string;
  acknowledged: Acknowledged;
}

/** Grants an app a permission and revokes it, after which the platform must never allow it again. */
function revoking({ admin, app, appId, _namespace, acknowledged }: Revoking) {
  const _user = { _type: 'app', _id: appId };
  return async () => {
    const _irn = `itemsvc:nameduseritem:${randomBytes(12).toString('hex')}`;
    const isAllowed = async () => {
      const json = [{ _user, _action: 'READ', _irn, _namespace }];
      const { body } = await app.call<Checks>('POST', `${PERMISSIONS}/check`, { json });
      return body._list[0]!._allowed;
    };
    const json = [{ _namespace, _resourceDesc: { _irn }, _user, _actions: ['READ'] }];
    const { body } = await admin.call<Written>('PUT', PERMISSIONS, { json });
    if (!(await isAllowed())) throw new Error('a granted permission does not count');
    await admin.call('DELETE', `${PERMISSIONS}/${body._list._success[0]!._id}`, { expect: 204 });
    const check = async () => {
      if (await isAllowed()) throw new Error('a revoked permission still counts');
    };
    await check();
    acknowledged.written(`revocation of ${_irn}`, check);
  };
}

function uploading({ caller, namespace }: LoadUser, { ledger }: Acknowledged) {
  return async () => {
    const content = randomBytes(UPLOAD_BYTES);
    const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const query = { nsfilter: namespace, uploadType: 'resumable' };
    const json = {
      _name: unique(),
      _uploadMeta: { _size: UPLOAD_BYTES, _checksum: checksum },
      _namespaces: [namespace],
    };
    const { body } = await caller.call<{ _id: string }>('POST', FILES, { query, json, expect: 201 });
    await caller.call('PATCH', `${FILES}/${body._id}`, { query: { ...query, checksum }, body: content });
    ledger.file(body._id, content);
  };
}

function picturing(user: LoadUser, acknowledged: Acknowledged) {
  const { caller, namespace } = user;
  return async () => {
    const id = await storeFile(user, PICTURE, { name: `${unique()}.svg`, type: 'image/svg+xml' });
    acknowledged.ledger.file(id, Buffer.from(PICTURE));
    acknowledged.accepted(`preview of ${id}`, async () => {
      const query = { nsfilter: namespace };
      const { body } = await caller.call<{ _previews?: unknown[] }>('GET', `${FILES}/${id}`, { query });
      return body._previews?.length ? 'done' : 'missing';
    });
  };
}

function loading(user: LoadUser, acknowledged: Acknowledged) {
  const { caller, namespace } = user;
  const query = { nsfilter: namespace };
  return async () => {
    const id = await storeFile(user, 'graphics', { graphics: true });
    acknowledged.ledger.file(id, Buffer.from('graphics'));
    await caller.call('PUT', FILESTORE, { query, json: [{ _fileId: id }] });
    acknowledged.accepted(`load of ${id}`, async () => {
      const { body } = await caller.call<{ _status: string }>('GET', `/graphicssvc/api/v1/filestore/${id}`, { query });
      return body._status === 'LOADED' ? 'done' : body._status;
    });
  };
}

async function inviting(caller: Caller, acknowledged: Acknowledged, directory: string) {
  const { body } = await caller.call<List>('POST', GROUPS, { json: [{ _name: unique() }], expect: 201 });
  const path = `${GROUPS}/${body._list[0]!._id}/invites`;
  const hasMail = createMailbox(directory);
  return async () => {
    const _email = `${unique()}@example.com`;
    await caller.call('POST', path, { json: [{ _email }], expect: 201 });
    acknowledged.accepted(`mail to ${_email}`, async () => ((await hasMail(_email)) ? 'done' : 'not sent'));
  };
}

/** Tells whether an address has received a mail. */
function createMailbox(directory: string) {
  let readMs = 0;
  let recipients: Promise<Set<string>> = Promise.resolve(new Set());
  return async (address: string) => {
    if (Date.now() > readMs + MAILS_KEPT_MS) {
      readMs = Date.now();
      recipients = readMails(directory).then((mails) => new Set(mails.flatMap((mail) => mail.recipients)));
    }
    return (await recipients).has(address);
  };
}

const unique = (): string => `load_${randomBytes(8).toString('hex')}`;
