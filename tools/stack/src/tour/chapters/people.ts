import { randomBytes } from 'node:crypto';
import type { Caller } from '../http/caller.js';
import { PASSPORT } from '../http/paths.js';
import { clientCredentials, signIn, type Application } from '../http/sign-in.js';
import { expect, type Tour } from '../tour.js';

export interface Person extends Caller {
  id: string;
  token: string;
}

/** The owner shares the workspace with the partner but not with the outsider. */
export interface People {
  owner: Person;
  partner: Person;
  outsider: Person;
}

interface Account {
  id: string;
  email: string;
  password: string;
}

/** An application creates the users (SCIM with a client credentials token), who then sign in. */
export async function meetPeople(tour: Tour): Promise<People> {
  const app: Application = { ...tour.dev, signal: tour.signal };

  const administration = await tour.step('The application gets a token of its own (client credentials)', async () => {
    const tokens = await clientCredentials(app);
    expect('token_type', tokens.token_type, 'bearer');
    return tour.caller(tokens.access_token);
  });
  const [owner, partner, outsider] = await tour.step('Three users are created (SCIM 2.0)', () =>
    Promise.all([
      createUser(administration, tour.mark, 'Olga', 'Owner'),
      createUser(administration, tour.mark, 'Paul', 'Partner'),
      createUser(administration, tour.mark, 'Otto', 'Outsider'),
    ]),
  );
  const enter = async (account: Account): Promise<Person> => {
    const tokens = await signIn(app, account);
    expect('user_name', tokens.user_name, account.id);
    return { ...tour.caller(tokens.access_token), id: account.id, token: tokens.access_token };
  };
  return tour.step('They sign in (authorization code with the secret)', async () => ({
    owner: await enter(owner),
    partner: await enter(partner),
    outsider: await enter(outsider),
  }));
}

async function createUser(administration: Caller, mark: string, givenName: string, familyName: string) {
  const email = `${givenName}.${familyName}.${mark}@example.com`.toLowerCase();
  const password = randomBytes(18).toString('base64url');
  const { body } = await administration.call<{ id: string; userName: string }>('POST', `${PASSPORT}/scim/Users`, {
    json: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: email,
      password,
      name: { givenName, familyName },
      displayName: `${givenName} ${familyName}`,
      emails: [{ value: email, type: 'work', primary: true }],
      active: true,
    },
    expect: 201,
  });
  return { id: body.id, email, password } satisfies Account;
}
