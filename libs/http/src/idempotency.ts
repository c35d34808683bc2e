import { createHash } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import type { RequestContext } from './context.js';
import type { Reply } from './reply.js';
import type { Route } from './route.js';

/** The parts of a reply that are stored for repetitions of its request. */
export type KeptReply = Pick<Reply, 'status' | 'headers' | 'body'>;

/** The exclusive use of a key while its first request runs. */
interface Claim {
  finish(reply: KeptReply): Promise<void>;
  /** Releases the key after the request has failed. */
  forget(): Promise<void>;
}

/** Stores the reply to the first request with each key. */
export interface IdempotencyStore {
  /**
   * Claims the key, or returns the state of the request that had claimed it before.
   * @param fingerprint equal for requests with the same input
   */
  begin(id: string, fingerprint: string): Promise<Claim | 'running' | { fingerprint: string; reply: KeptReply }>;
}

const KEY = /^[\x21-\x7e]{1,255}$/;
const SECRETS = new Set(['_secret', 'clientSecret', 'password']);

/**
 * Runs a POST once for each `Idempotency-Key` of a caller: a repetition gets the first reply again, without secrets.
 * Bodies other than JSON cannot be compared, so their routes ignore the key.
 * @throws 400 when the key was used with different input, 409 while the first request is still running
 */
export async function runOnce(
  route: Route,
  context: RequestContext,
  store: IdempotencyStore,
  run: () => Promise<Reply>,
): Promise<Reply> {
  const key = context.req.headers['idempotency-key'];
  if (route.method !== 'post' || route.auth === 'none' || route.streamedBody || key === undefined) return run();
  if (typeof key !== 'string' || !KEY.test(key))
    throw commonErrors.badRequest({ message: 'The idempotency key is not valid.' });

  const id = digest([context.access.principal.id, route.operation, key]);
  const fingerprint = digest([context.params, context.query, context.body]);
  const begun = await store.begin(id, fingerprint);
  if (begun === 'running')
    throw commonErrors.conflict({ message: 'The first request with this idempotency key is still running.' });
  return 'reply' in begun ? replay(begun, fingerprint) : runAndKeep(begun, run);
}

async function runAndKeep(claim: Claim, run: () => Promise<Reply>): Promise<Reply> {
  const reply = await run().catch(async (error: unknown) => {
    await claim.forget().catch(() => undefined);
    throw error;
  });
  // The request has succeeded either way. If its reply cannot be stored, the key stays claimed until the claim expires.
  const kept = { status: reply.status, headers: reply.headers, body: withoutSecrets(reply.body) };
  await claim.finish(kept).catch(() => undefined);
  return reply;
}

function replay(before: { fingerprint: string; reply: KeptReply }, fingerprint: string): Reply {
  if (before.fingerprint !== fingerprint) {
    throw commonErrors.badRequest({ message: 'The idempotency key was used with different input.' });
  }
  return { ...before.reply, headers: { ...before.reply.headers, 'idempotency-replayed': 'true' } };
}

/** Excludes secrets, because a password could be guessed from the hash of a request. */
const digest = (value: unknown) => createHash('sha256').update(jsonWithoutSecrets(value)).digest('base64url');

const withoutSecrets = (body: unknown): unknown => JSON.parse(jsonWithoutSecrets(body ?? null));

const jsonWithoutSecrets = (value: unknown) =>
  JSON.stringify(value, (name, part: unknown) => (SECRETS.has(name) ? undefined : part));
