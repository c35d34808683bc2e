import type { Response } from 'supertest';
import { PASSWORD } from './story.js';
import type { Story, TestUser } from './story.js';

const USERS = '/scim/Users';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const person = (givenName: string, familyName: string, title: string) => {
  const address = `${givenName}.${familyName}@example.com`.toLowerCase();
  return {
    schemas: [CORE, ENTERPRISE],
    userName: address,
    password: PASSWORD,
    name: { givenName, familyName },
    displayName: `${givenName} ${familyName}`,
    title,
    emails: [{ value: address, type: 'work', primary: true }],
    active: true,
    [ENTERPRISE]: { department: 'Facilities' },
  };
};

export interface People {
  olga: TestUser;
  ben: TestUser;
  carla: TestUser;
}

/** The organization's app manages its users by SCIM. */
export async function keepUsers({ keep, send, trusted }: Story): Promise<People> {
  const create = (user: object) => send('post', USERS, trusted, user).expect(201);
  const created = await create(person('Olga', 'Berg', 'Facility manager'));
  keep('users.create', created);
  const olga = userIn(created);
  const second = person('Ben', 'Ito', 'Technician');
  const ben = userIn(await create(second));
  const carla = userIn(await create(person('Carla', 'Rossi', 'Energy consultant')));

  const filter = `userName eq "${olga.userName}"`;
  keep('users.list', await send('get', USERS, trusted).query({ filter, count: 10 }).expect(200));
  const ofTeam = { schemas: [SEARCH], filter: `title co "Technician"`, attributes: ['userName', 'displayName'] };
  keep('users.search', await send('post', `${USERS}/.search`, trusted, ofTeam).expect(200));
  keep('scim.search', await send('post', '/scim/.search', trusted, ofTeam).expect(200));
  keep('users.get', await send('get', `${USERS}/${olga.id}`, trusted).expect(200));
  const { password: _password, ...unchanged } = second;
  const promoted = { ...unchanged, title: 'Senior technician' };
  keep('users.replace', await send('put', `${USERS}/${ben.id}`, trusted, promoted).expect(200));
  const Operations = [{ op: 'replace', path: 'title', value: 'Head of facilities' }];
  const patch = { schemas: [PATCH], Operations };
  keep('users.patch', await send('patch', `${USERS}/${olga.id}`, trusted, patch).expect(200));
  return { olga, ben, carla };
}

const userIn = ({ body }: Response): TestUser => {
  const { id, userName } = body as TestUser;
  return { id, userName };
};

/** Discovery by SCIM clients. */
export async function keepScim({ app, keep }: Story): Promise<void> {
  const get = (path: string) => app.api.get(`/passportsvc/api/v1/scim${path}`).expect(200);
  keep('scim.config', await get('/ServiceProviderConfig'));
  keep('scim.resourceTypes', await get('/ResourceTypes'));
  keep('scim.resourceTypesById', await get('/ResourceTypes/User'));
  const schemas = await get('/Schemas');
  // Shortened: each schema with its first attribute.
  for (const schema of (schemas.body as { Resources: { attributes: unknown[] }[] }).Resources)
    schema.attributes = schema.attributes.slice(0, 1);
  keep('scim.schemas', schemas);
  keep('scim.schemasById', await get(`/Schemas/${ENTERPRISE}`));
}
