import { beforeAll, describe, expect, it } from '@jest/globals';
import { clientCredentials, signIn } from '@dtplatform/stack/client';
import { eventually } from '@dtplatform/testing';
import { type DescribedOperation, needsToken, operations as described } from '../support/openapi.js';
import { enter } from '../support/people.js';
import { dev, type RouteResponse, send, SERVICES } from '../support/platform.js';
import {
  type Caller,
  CALLERS,
  exceptionOf,
  EXCEPTIONS,
  expectedFor,
  HARMLESS,
  hasId,
  NOT_CALLED,
  NOT_DONE,
  type Outcome,
} from './expected.js';
import { accepts, comparable, everythingOf, isRead, response, showsTenant, textOf } from './observe.js';
import { type Call, callOf, idFields, kindsOf, nameOf, queriesFor, UNKNOWN_ID, valuesOf } from './requests.js';
import { createTenant, type Tenant } from './tenant.js';

const operations = described.flatMap(kindsOf);
const guarded = operations.filter(needsToken);
/** Operations that remove everything else of the tenant, in this order. */
const LAST = [
  ...['workspaces.delete', 'usergroups.removeMembers', 'usergroups.delete'],
  ...['users.replace', 'administrators.add', 'administrators.remove', 'sessions.endAll', 'users.delete'],
];
/** How much an operation removes: nothing if it deletes nothing, less for a long path than for a short one. */
const destroys = (operation: DescribedOperation) =>
  (LAST.includes(nameOf(operation)) ? 2 + LAST.indexOf(nameOf(operation)) : operation.method === 'DELETE' ? 1 : 0) +
  1 / operation.path.length;

let tenant: Tenant;
let other: Tenant;
/** The owner's permitted operations are executed on this one. */
let spare: Tenant;
let before: string[];
let tokens: Record<Caller, string | undefined>;
const needed = new Set<string>();

beforeAll(async () => {
  const [administrator, { access_token: expired }, reader, nobody] = await Promise.all([
    signIn(dev, dev.admin).then(({ access_token }) => access_token),
    clientCredentials({ ...dev, ...dev.shortLived }),
    enter(),
    enter(),
  ]);
  const app = (await clientCredentials({ ...dev, ...dev.second })).access_token;
  [tenant, other, spare] = await Promise.all([
    createTenant(administrator, reader),
    createTenant(administrator),
    createTenant(administrator),
  ]);
  before = await everythingOf(tenant);
  tokens = {
    'no token': undefined,
    'an expired token': expired,
    'another tenant': other.person.token,
    'no permission': nobody.token,
    'read only': reader.token,
    'an app of another organization': app,
    'an administrator': administrator,
  };
  await eventually(async () => {
    const response = await send('GET', '/passportsvc/api/v1/usergroups', { token: expired });
    expect(response.status).toBe(401);
  });
});

const unknownIds = () => Object.fromEntries(Object.keys(tenant.ids).map((name) => [name, UNKNOWN_ID]));
/** Whether a response contains anything of the tenant that was not in the request. */
const shows = (one: RouteResponse, { path, request }: Call) =>
  showsTenant(textOf(one) + JSON.stringify([...one.headers]), tenant, JSON.stringify([path, request]));

/** The outcome for a caller; a status if it is none of the declared outcomes. */
async function outcomeOf(
  operation: DescribedOperation,
  caller: Caller,
  expected: Outcome | number,
): Promise<Outcome | number> {
  // An allowed call would change the tenant.
  const ids = expected === 'allowed' && !isRead(operation) ? unknownIds() : tenant.ids;
  const call = callOf(operation, tenant, { ids });
  const got = await response(call, tokens[caller]);
  if (expected === 'open') return isOpen(got) ? 'open' : got.status;
  const rejection = REFUSALS.get(got.status);
  if (rejection) return rejection;
  if (expected === 'allowed') return isDone(operation, got) ? 'allowed' : got.status;
  if (got.status === 404 || got.status === expected) {
    const missing = await response(callOf(operation, { ...tenant, ids: unknownIds() }), tokens[caller]);
    expect(comparable(got)).toEqual(comparable(missing));
    return got.status === 404 ? 'hidden' : got.status;
  }
  return isEmpty(operation, got) && !shows(got, call) ? 'nothing' : got.status;
}

const REFUSALS = new Map<number, Outcome>([
  [401, 'unauthorized'],
  [403, 'forbidden'],
]);
const isEmpty = ({ 'x-permission': permission }: DescribedOperation, got: RouteResponse) =>
  got.status < 300 && !(permission?.rule === 'entries' && isAccepted(got));
/** Each entry of a body may be rejected separately. */
const isAccepted = ({ status, body }: RouteResponse) => status < 300 && body._list?._success?.length !== 0;
/** Operations that need a token all return the same challenge. */
const isOpen = ({ status, headers }: RouteResponse) =>
  status < 500 && !headers.get('www-authenticate')?.startsWith('Bearer');
/** Writes are called with ids that do not exist. */
const isDone = (operation: DescribedOperation, { status }: RouteResponse) =>
  status < 300 || (!isRead(operation) && [404, 409].includes(status));

const named = (list: DescribedOperation[]) =>
  list.map((operation): [string, DescribedOperation] => [operation.operationId, operation]);

const of = (service: string, list: DescribedOperation[]) => named(list.filter((each) => each.service === service));

describe.each(SERVICES)('permissions of %s', (service) => {
  it.each(of(service, operations))('%s', async (_name, operation) => {
    const outcomes = await Promise.all(
      CALLERS.map(async (caller) => {
        const exception = exceptionOf(operation, caller);
        const declared = expectedFor(operation, caller);
        const expected = exception?.outcome ?? declared;
        const outcome = await outcomeOf(operation, caller, expected);
        if (exception && outcome !== declared) needed.add(`${operation.operationId}: ${caller}`);
        return { caller, outcome, expected };
      }),
    );
    expect(outcomes.map(({ caller, outcome }) => [caller, outcome])).toEqual(
      outcomes.map(({ caller, expected }) => [caller, expected]),
    );
  });

  it('change no data of the tenant', async () => expect(await everythingOf(tenant)).toEqual(before));
});

describe('permissions', () => {
  it('are tested for every variant of an operation', () => {
    const variantsOf = ({ operationId, 'x-operations': variants = [operationId] }: DescribedOperation) =>
      variants.filter((name) => !NOT_CALLED.includes(name)).length;
    const lacking = described.filter((operation) => kindsOf(operation).length < variantsOf(operation));
    expect(lacking.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('have no unnecessary exception', () => {
    const all = EXCEPTIONS.flatMap(({ operations, callers }) =>
      operations.flatMap((operation) => callers.map((caller) => `${operation}: ${caller}`)),
    );
    expect(all.filter((exception) => !needed.has(exception))).toEqual([]);
  });
});

const harmless = new Set<string>();
const byOthers = guarded.filter((operation) => accepts(operation, 'user') || accepts(operation, 'app'));

describe.each(SERVICES)('ids of another tenant in calls of %s', (service) => {
  it.each(of(service, byOthers))('%s', async (_name, operation) => {
    const token = accepts(operation, 'user') ? other.person.token : tokens['an app of another organization'];
    const theirs = valuesOf(tenant);
    const calls = idFields(operation, tenant).map((name): [string, Call] => [
      name,
      callOf(operation, other, { values: { [name]: theirs[name] } }),
    ]);
    if (hasId(operation)) calls.push(['path', callOf(operation, other, { ids: tenant.ids })]);
    for (const query of queriesFor(operation, tenant)) {
      calls.push([`query ${query}`, callOf(operation, other, { values: { query } })]);
    }
    const problems: string[] = [];
    for (const [name, call] of calls) {
      const got = await response(call, token);
      const isTaken = shows(got, call) || (!isRead(operation) && isAccepted(got));
      const field = `${operation.operationId} ${name}`;
      if (isTaken && field in HARMLESS) harmless.add(field);
      else if (isTaken || got.status >= 500) problems.push(`${field}: ${got.status} ${textOf(got)}`);
    }
    expect(problems).toEqual([]);
  });

  it('change none of its data', async () => expect(await everythingOf(tenant)).toEqual(before));
});

describe('ids of another tenant', () => {
  const queried = byOthers.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'query'));
  it.each(named(queried))('are found by the queries of %s for their own tenant', async (_name, operation) => {
    const token = accepts(operation, 'user') ? tenant.person.token : tokens['an administrator'];
    const calls = queriesFor(operation, tenant).map((query) => callOf(operation, tenant, { values: { query } }));
    const responses = await Promise.all(calls.map(async (call) => ({ call, got: await response(call, token) })));
    expect(responses.map(({ got }) => got.status)).toEqual(calls.map(() => 200));
    expect(responses.some(({ call, got }) => shows(got, call))).toBe(true);
  });

  it('have no unnecessary exception', () => {
    expect(Object.keys(HARMLESS).filter((field) => !harmless.has(field))).toEqual([]);
  });
});

describe('a caller with every permission', () => {
  const callable = guarded
    .filter((operation) => accepts(operation, 'user') || accepts(operation, 'admin'))
    .toSorted((one, two) => destroys(one) - destroys(two));

  it.each(named(callable))('may call %s', async (_name, operation) => {
    const token = accepts(operation, 'user') ? spare.person.token : tokens['an administrator'];
    const got = await response(callOf(operation, spare), token);
    const { status = 'done' } = NOT_DONE[operation.operationId] ?? {};
    expect([got.status < 300 ? 'done' : got.status, textOf(got)]).toEqual([status, textOf(got)]);
  });
});
