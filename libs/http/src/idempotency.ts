import { createHash } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import type { RequestContext } from './context.js';
import type { Reply } from './reply.js';
import type { Route } from './route.js';

/** A reply as it is kept for a repetition of its request. */
export type KeptReply = Pick<Reply, 'status' | 'headers' | 'body'>;

/** A request that has its key to itself until it ends. */
interface Claim {
  finish(reply: KeptReply): Promise<void>;
  /** The request failed: the key is free again. */
  forget(): Promise<void>;
}

/** Where the first request with a key leaves its reply. */
export interface IdempotencyStore {
  /**
   * Begins a request, or tells what became of the one that had the key before.
   * @param fingerprint tells whether a repetition asks for the same
   */
  begin(id: string, fingerprint: string): Promise<Claim | 'running' | { fingerprint: string; reply: KeptReply }>;
}

const KEY = /^[\x21-\x7e]{1,255}$/;
const SECRETS = new Set(['_secret', 'clientSecret', 'password']);

/**
 * Runs a POST once for each `Idempotency-Key` of a caller: a repetition gets the first reply again, without secrets.
 * Bodies that are not JSON are not compared, so such routes do not take the key.
 * @throws 400 when the key comes back with other input, 409 while the first request still runs
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
  if (begun === 'running') throw commonErrors.conflict({ message: 'The first request with this key still runs.' });
  return 'reply' in begun ? replay(begun, fingerprint) : runAndKeep(begun, run);
}

async function runAndKeep(claim: Claim, run: () => Promise<Reply>): Promise<Reply> {
  const reply = await run().catch(async (error: unknown) => {
    await claim.forget().catch(() => undefined);
    throw error;
  });
  // What is done is done: when the reply cannot be kept, the key stays taken until the claim on it runs out.
  const kept = { status: reply.status, headers: reply.headers, body: withoutSecrets(reply.body) };
  await claim.finish(kept).catch(() => undefined);
  return reply;
}

function replay(before: { fingerprint: string; reply: KeptReply }, fingerprint: string): Reply {
  if (before.fingerprint !== fingerprint) {
    throw commonErrors.badRequest({ message: 'The idempotency key was used with other input.' });
  }
  return { ...before.reply, headers: { ...before.reply.headers, 'idempotency-replayed': 'true' } };
}

/** Without secrets: from the hash of a request a password in it could be guessed. */
const digest = (value: unknown) => createHash('sha256').update(jsonWithoutSecrets(value)).digest('base64url');

const withoutSecrets = (body: unknown): unknown => JSON.parse(jsonWithoutSecrets(body ?? null));

const jsonWithoutSecrets = (value: unknown) =>
  JSON.stringify(value, (name, part: unknown) => (SECRETS.has(name) ? undefined : part));
