import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import type { RedisReply } from 'rate-limit-redis';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';

const WINDOW_MS = 60_000;

interface RateLimits {
  /** Requests per minute per user; 0 disables the limit. */
  perUser: number;
  /** Requests per minute per app, including those of its users. */
  perApp: number;
  /** Part of the Redis keys: each service counts separately. */
  service: string;
  /** Sends a command to Redis, which holds the counters of all processes. */
  sendCommand: (command: string, ...args: string[]) => Promise<unknown>;
}

/** Counts a request and sets its `RateLimit` headers. @throws 429 above the limit; Redis errors */
export type LimitRate = (req: Request, res: Response, caller: Principal) => Promise<void>;

/**
 * Limits the requests of a caller per minute. Trusted clients are exempt: services use them to call each other and to
 * act for users.
 * @returns undefined without limits, so that they cost nothing
 */
export function createRateLimits({ perUser, perApp, ...options }: RateLimits): LimitRate | undefined {
  const limiters = [
    ...(perUser > 0 ? [{ limit: createLimiter('user', perUser, options), counts: isUser }] : []),
    ...(perApp > 0 ? [{ limit: createLimiter('app', perApp, options), counts: () => true }] : []),
  ];
  if (limiters.length === 0) return undefined;

  return async (req, res, caller) => {
    if (caller.kind === 'trusted' || caller.actorId !== undefined) return;
    res.locals.caller = caller;
    // The user's limit first: a request rejected there must not count against other users of the app.
    for (const { limit, counts } of limiters) if (counts(caller)) await limit(req, res);
  };
}

const isUser = ({ kind }: Principal) => kind === 'user' || kind === 'admin';

function createLimiter(
  kind: 'user' | 'app',
  limit: number,
  { service, sendCommand }: Omit<RateLimits, `per${string}`>,
) {
  const limiter = rateLimit({
    windowMs: WINDOW_MS,
    limit,
    identifier: kind,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_req, { locals }) => callerOf(locals)[kind === 'user' ? 'id' : 'appId'],
    store: new RedisStore({ prefix: `rate:${service}:${kind}:`, sendCommand: loadingLater(sendCommand) }),
    handler: (_req, res, next) =>
      next(commonErrors.tooManyRequests({ retryAfterSec: Math.max(1, Number(res.getHeader('retry-after'))) })),
    // The library validates keys as IP addresses.
    validate: false,
  });
  return (req: Request, res: Response) =>
    new Promise<void>((resolve, reject) => {
      void limiter(req, res, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
    });
}

const callerOf = (locals: Record<string, unknown>) => locals.caller as Principal;

/**
 * The store loads its scripts once. While Redis is unavailable it gets a made-up digest; Redis later reports the
 * missing script, and the store loads it again.
 */
const loadingLater =
  (sendCommand: RateLimits['sendCommand']) =>
  async (command: string, ...args: string[]): Promise<RedisReply> => {
    try {
      return (await sendCommand(command, ...args)) as RedisReply;
    } catch (error) {
      if (command !== 'SCRIPT') throw error;
      return createHash('sha1').update(args.at(-1)!).digest('hex');
    }
  };
