import { createHash } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import type { RequestContext } from './context.js';
import { IDEMPOTENCY_KEY } from './header-spec.js';
import type { Reply } from './reply.js';
import type { Route } from './route.js';

/** The parts of a reply that are stored for repetitions of its request. */
export type KeptReply = Pick<Reply, 'status' | 'headers' | 'body'>;

/** The exclusive use of a key by its first request. */
interface Claim {
  /**
   * Runs the request and keeps its reply. What it writes is committed together with the reply; when it fails with nothing
   * written, the key is free again.
   */
  run(
    work: () => Promise<Reply>,
    replies: { keep: (reply: Reply) => KeptReply; early: (written: unknown) => KeptReply },
  ): Promise<Reply>;
}

/** Stores the reply to the first request with each key. */
export interface IdempotencyStore {
  /**
   * Claims the key, or returns the state of the request that had claimed it before.
   * @param fingerprint equal for requests with the same input
   */
  begin(id: string, fingerprint: string): Promise<Claim | 'running' | { fingerprint: string; reply: KeptReply }>;
}

const SECRETS = new Set(['_secret', 'clientSecret', 'password']);

/** Whether calls of a route may have an `Idempotency-Key`. */
export const runsOnce = ({ method, auth, streamedBody }: Route): boolean =>
  method === 'post' && auth !== 'none' && streamedBody === undefined;

/**
 * Runs a POST once for each `Idempotency-Key` of a caller: a repetition gets the first reply again, without secrets.
 * Bodies other than JSON cannot be compared, so their routes ignore the key.
 * @param request.early the reply to what the request wrote in an early commit
 * @throws 400 when the key was used with different input, 409 while the first request is still running
 */
export async function runOnce(
  route: Route,
  context: RequestContext,
  store: IdempotencyStore,
  { run, early }: { run: () => Promise<Reply>; early: (written: unknown) => Reply },
): Promise<Reply> {
  const key = context.req.headers['idempotency-key'];
  if (key === undefined || !runsOnce(route)) return run();
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw commonErrors.badRequest({ message: 'The idempotency key is not valid.' });

  const id = digest([context.access.principal.id, route.operation, key]);
  const fingerprint = digest([context.params, context.query, context.body]);
  const begun = await store.begin(id, fingerprint);
  if (begun === 'running')
    throw commonErrors.conflict({
      message: 'The first request with this idempotency key is still running.',
      headers: { 'retry-after': '1' },
    });
  if ('reply' in begun) return replay(begun, fingerprint);
  return begun.run(run, { keep: keptOf, early: (written) => keptOf(early(written)) });
}

const keptOf = ({ status, headers, body }: Reply): KeptReply => ({ status, headers, body: withoutSecrets(body) });

function replay(before: { fingerprint: string; reply: KeptReply }, fingerprint: string): Reply {
  if (before.fingerprint !== fingerprint) {
    throw commonErrors.badRequest({ message: 'The idempotency key was used with different input.' });
  }
  return { ...before.reply, headers: { ...before.reply.headers, 'idempotency-replayed': 'true' } };
}

/** Excludes secrets, because a password could be guessed from the hash of a request. */
const digest = (value: unknown) => createHash('sha256').update(jsonWithoutSecrets(value)).digest('base64url');

const withoutSecrets = (body: unknown): unknown =>
  body === undefined ? undefined : JSON.parse(jsonWithoutSecrets(body));

const jsonWithoutSecrets = (value: unknown) =>
  JSON.stringify(value, (name, part: unknown) => (SECRETS.has(name) ? undefined : part));
