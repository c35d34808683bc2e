import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, seededNumbers } from '@dtplatform/testing';
import { accepts, everythingOf, showsTenant } from '../matrix/observe.js';
import { createTenant, type Tenant } from '../matrix/tenant.js';
import { signIn } from '@dtplatform/stack/client';
import { type DescribedOperation, jsonBodyOf, needsToken, operations } from '../support/openapi.js';
import { createAccount, trustedToken } from '../support/people.js';
import { dev, send, SERVICES } from '../support/platform.js';
import { UNKNOWN_ID } from '../matrix/requests.js';
import { countInputs, type Input } from './inputs.js';
import { inputsOf, type Place, placesOf, requestFor } from './places.js';
import { mustBeRejected, problemOf, sendRaw } from './replies.js';

/** Set by `npm run test:corpus`. The default is one rejected and one other input per place, the same in each run. */
const minutes = Number(process.env.CORPUS_MINUTES ?? 0);
const seed = Number(process.env.CORPUS_SEED ?? 1);
const QUICK = { refused: 1, others: 1 };
const AT_ONCE = 12;
const MINUTE_MS = 60_000;

/** They change state of the whole platform: called by a user, who is rejected. */
const OF_THE_PLATFORM = /^(permissions\.(close|removeUser)|permissionActions\.)/;

interface Attempt {
  place: Place;
  input: Input;
}

const all = operations.flatMap(placesOf);
const counts = { requests: 0, refused: 0, accepted: 0 };
const tried = new Set<Input>();
/** Where accepted work is described. */
const accepted: string[] = [];

let own: Tenant;
let other: Tenant;
let untouched: string[];
let trusted: string;
let ids: Tenant['ids'];

beforeAll(async () => {
  const administrator = (await signIn(dev, dev.admin)).access_token;
  [own, other, trusted] = await Promise.all([createTenant(administrator), createTenant(administrator), trustedToken()]);
  untouched = await everythingOf(other);
  // The user itself must keep its access.
  const { id } = await createAccount();
  ids = { ...own.ids, Users: id, users: id };
}, 2 * MINUTE_MS);

afterAll(() => {
  const { requests, refused, accepted } = counts;
  process.stdout.write(
    `corpus: ${operations.length} operations × ${all.length} parameters and fields, ${tried.size} of ${countInputs()} inputs: ` +
      `${requests} requests, ${accepted} accepted, ${refused} refused (seed ${seed})\n`,
  );
});

const tokenFor = ({ operation }: Place) => {
  if (!needsToken(operation)) return undefined;
  const isOurs = accepts(operation, 'user') || OF_THE_PLATFORM.test(operation.operationId);
  return isOurs ? own.person.token : trusted;
};
/** A deleted resource could not be called again. */
const idsFor = ({ operation }: Place) =>
  operation.method === 'DELETE' ? Object.fromEntries(Object.keys(ids).map((name) => [name, UNKNOWN_ID])) : ids;

async function attempt({ place, input }: Attempt): Promise<string | undefined> {
  const request = requestFor(place, input, own, idsFor(place));
  const response = await sendRaw(request, tokenFor(place));
  counts.requests += 1;
  counts[response.status < 400 ? 'accepted' : 'refused'] += 1;
  tried.add(input);
  if (response.status === 202 && response.location !== '') accepted.push(response.location);
  const sent = request.url + (request.body instanceof Buffer ? request.body.toString() : '');
  // Clients of the platform see everything.
  const leaks = tokenFor(place) !== trusted && showsTenant(response.text, other, sent);
  const problem = leaks ? 'shows what belongs to somebody else' : problemOf(place, input, response);
  return problem && `${place.operation.operationId} ${place.in} ${place.name}, ${input.name}: ${problem}`;
}

const untilEnded = (location: string) =>
  eventually(async () => {
    const { body } = await send('GET', location, { token: trusted });
    expect(body).not.toMatchObject({ _status: expect.stringMatching(/^(QUEUED|RUNNING)$/) });
  });

/** Makes concurrent attempts until all are done or time is up. @returns problems, one per place */
async function attemptAll(attempts: Iterator<Attempt>, until: number): Promise<string[]> {
  const problems: string[] = [];
  const worker = async () => {
    while (Date.now() < until) {
      const { value, done } = attempts.next();
      if (done) return;
      const problem = await attempt(value);
      if (problem) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return problems;
}

/** Cycles through the places, with another input for each in every round. */
function* rounds(places: Place[], isWanted: (input: Input, place: Place) => boolean, perPlace: number) {
  const random = seededNumbers(seed);
  const left = places.map((place) => ({
    place,
    inputs: shuffled(
      inputsOf(place).filter((input) => isWanted(input, place)),
      random,
    ),
  }));
  for (let round = 0; round < perPlace && left.some(({ inputs }) => inputs.length > round); round++) {
    for (const { place, inputs } of left) if (inputs[round]) yield { place, input: inputs[round]! };
  }
}

function shuffled<T>(values: readonly T[], random: (below: number) => number): T[] {
  const left = [...values];
  return Array.from({ length: left.length }, () => left.splice(random(left.length), 1)[0]!);
}

describe.each(SERVICES)('invalid inputs to %s', (service) => {
  const places = all.filter(({ operation }) => operation.service === service);
  const share = (minutes * MINUTE_MS * places.length) / all.length;
  const inTime = (part: number) => Date.now() + (minutes > 0 ? share * part : MINUTE_MS);
  const timeoutMs = Math.max(2 * MINUTE_MS, share + MINUTE_MS);

  it(
    'are rejected if they cannot be stored, and change nothing',
    async () => {
      await Promise.all(accepted.splice(0).map(untilEnded));
      const before = await everythingOf(own);
      const attempts = rounds(places, mustBeRejected, minutes > 0 ? Infinity : QUICK.refused);
      expect(await attemptAll(attempts, inTime(0.3))).toEqual([]);
      expect(await everythingOf(own)).toEqual(before);
    },
    timeoutMs,
  );

  it(
    'are rejected or returned as sent, and change no data of others',
    async () => {
      const isOther = (input: Input, place: Place) => !mustBeRejected(input, place);
      const attempts = rounds(places, isOther, minutes > 0 ? Infinity : QUICK.others);
      expect(await attemptAll(attempts, inTime(0.7))).toEqual([]);
      expect(await everythingOf(other)).toEqual(untouched);
    },
    timeoutMs,
  );
});

it('cover every operation with inputs', () => {
  const withPlaces = new Set(all.map(({ operation }) => operation));
  const takesSomething = ({ parameters = [], ...operation }: DescribedOperation) =>
    parameters.length > 0 || jsonBodyOf(operation) !== undefined;
  const without = operations.filter((operation) => takesSomething(operation) && !withPlaces.has(operation));
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});
