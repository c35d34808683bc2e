import { randomBytes } from 'node:crypto';
import { clientCredentials, createCaller, type Page, PERMISSIONS } from '@dtplatform/stack/client';
import { Pool } from 'undici';
import { scimUser } from '../../callers/index.js';
import { createCodeFlow, sessionCookie } from '../../load/code-flow.js';
import { inTurn, makeMany, type Operation, PARENTS, type Place, unique, type Work } from './operation.js';

const GROUPS = '/passportsvc/api/v1/usergroups';
const SCIM_USERS = '/passportsvc/api/v1/scim/Users';
const QUESTIONS = 10;
const LISTED = 25;

const objectId = (): string => randomBytes(12).toString('hex');
const administrator = async ({ dev }: Place) =>
  createCaller({ baseUrl: dev.baseUrl, token: (await clientCredentials(dev)).access_token });

async function createGroup({ caller }: Pick<Place, 'caller'>): Promise<string> {
  const call = { json: [{ _name: unique() }], expect: 201 };
  return (await caller.call<Page<{ _id: string }>>('POST', GROUPS, call)).body._list[0]!._id;
}

/** Ten checks of the caller's own permissions. */
export function preparePermissionChecks({ id, caller, namespace }: Omit<Place, 'dev'>): Work {
  const json = Array.from({ length: QUESTIONS }, (_, n) => ({
    ...{ _user: { _type: 'user', _id: id }, _action: 'READ', _namespace: namespace },
    _irn: `itemsvc:nameduseritem:${n.toString(16).padStart(24, '0')}`,
  }));
  return async () => void (await caller.call('POST', `${PERMISSIONS}/check`, { json }));
}

const newUser = () => scimUser(`${unique()}@example.com`);

/** Resolves with their ids. */
async function createUsers(place: Place, count: number): Promise<string[]> {
  const admin = await administrator(place);
  const create = () => admin.call<{ id: string }>('POST', SCIM_USERS, { json: newUser(), expect: 201 });
  return makeMany(count, async () => (await create()).body.id);
}

export const peopleOperations: Operation[] = [
  {
    ...{ name: 'code-and-refresh', service: 'passportsvc', about: 'code with PKCE, its tokens, one refresh' },
    prepare: async ({ dev, credentials }) => {
      const oauth = `${dev.baseUrl}/passportsvc/api/v2/oauth`;
      const { appId: clientId, redirectUri } = dev;
      const endpoints = { authorizeUrl: `${oauth}/authorize`, tokenUrl: `${oauth}/token`, clientId, redirectUri };
      const cookie = await sessionCookie(endpoints, credentials);
      return createCodeFlow({ ...endpoints, cookie }, new Pool(dev.baseUrl));
    },
  },
  {
    ...{ name: 'permission-write', service: 'objectmodelsvc', about: 'one of 50 users may read one more item' },
    prepare: async (place) => {
      const { caller, namespace } = place;
      const users = await createUsers(place, PARENTS);
      return async (n) => {
        const _user = { _type: 'user', _id: inTurn(users, n) };
        const _resourceDesc = { _irn: `itemsvc:nameduseritem:${objectId()}` };
        const json = [{ _namespace: namespace, _resourceDesc, _user, _actions: ['READ'] }];
        const { body } = await caller.call<{ _list: { _failures: unknown[] } }>('PUT', PERMISSIONS, { json });
        if (body._list._failures.length > 0) throw new Error(JSON.stringify(body._list._failures));
      };
    },
  },
  {
    ...{ name: 'permission-check', service: 'objectmodelsvc', about: 'ten questions in a call' },
    prepare: async (place) => preparePermissionChecks(place),
  },
  {
    ...{ name: 'group-write', service: 'passportsvc', about: 'a user joins one of 50 groups' },
    prepare: async (place, calls) => {
      const groups = await makeMany(PARENTS, () => createGroup(place));
      // Each user joins each group once.
      const users = await createUsers(place, Math.ceil(calls / PARENTS));
      return async (n) => {
        const json = [users[Math.floor(n / PARENTS)]];
        await place.caller.call('PUT', `${GROUPS}/${inTurn(groups, n)}/users`, { json });
      };
    },
  },
  {
    ...{ name: 'invite', service: 'passportsvc', about: 'an address is invited to one of 50 groups, by mail' },
    // A caller may invite at most 500 people per day.
    calls: 64,
    prepare: async (place) => {
      const groups = await makeMany(PARENTS, () => createGroup(place));
      return async (n) => {
        const json = [{ _email: `${unique()}@example.com` }];
        await place.caller.call('POST', `${GROUPS}/${inTurn(groups, n)}/invites`, { json, expect: 201 });
      };
    },
  },
  {
    ...{ name: 'scim-created', service: 'passportsvc', about: 'a user without a password' },
    prepare: async (place) => {
      const admin = await administrator(place);
      return async () => void (await admin.call('POST', SCIM_USERS, { json: newUser(), expect: 201 }));
    },
  },
  {
    ...{ name: 'scim-list', service: 'passportsvc', about: 'a page of 25 users' },
    prepare: async (place) => {
      const admin = await administrator(place);
      await createUsers(place, LISTED);
      return async () => void (await admin.call('GET', SCIM_USERS, { query: { count: LISTED } }));
    },
  },
];
