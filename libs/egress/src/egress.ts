import { isUtf8 } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EnvHttpProxyAgent, request } from 'undici';
import pTimeout from 'p-timeout';
import { withCauses } from '@dtplatform/errors';
import { createAllowList } from './allow-list.js';
import { EgressFailed, EgressRejected } from './errors.js';
import { systemLookup } from './resolve.js';
import type { Lookup } from './resolve.js';
import { requireAllowed, targetOf } from './target.js';
import type { Target } from './target.js';

const TIMEOUT_MS = 5_000;
const decoder = new TextDecoder();

const MAX_LOOKUP_MS = 2_000;
const KIB = 1024;
const MAX_ANSWER_BYTES = 64 * KIB;
const MAX_CONNECTIONS = 8;

export interface EgressOptions {
  /** See `egressSettings`. */
  allow: readonly string[];
  lookup?: Lookup;
  /** Deadline of the whole call, including name resolution. Default 5 seconds. */
  timeoutMs?: number;
  /** Maximum size of the response body; a longer one is an error. Default 64 KiB. */
  maxAnswerBytes?: number;
}

export interface EgressRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  /** Only the status matters: the body is not read and may have any length. */
  statusOnly?: boolean;
  signal?: AbortSignal;
}

export interface EgressAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** False if invalid sequences were replaced. */
  isUtf8: boolean;
}

/** Calls addresses that callers of the platform choose. */
export interface Egress {
  /**
   * Whether a URL may be called, as far as is known now: a name that does not resolve passes. `request` checks again.
   * @throws EgressRejected
   */
  check(url: string): Promise<void>;
  /** Does not follow redirects. @throws EgressRejected, EgressFailed */
  request(call: EgressRequest): Promise<EgressAnswer>;
  close(): Promise<void>;
}

/**
 * Calls public addresses and those that the operator allows. A host's addresses are checked when a connection opens,
 * and the connection goes to exactly these addresses, so that DNS rebinding has no effect.
 *
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` apply: a proxy resolves names itself, so it has to refuse private addresses.
 * Names that are known here to be private are rejected before.
 */
export function createEgress({ allow, ...options }: EgressOptions): Egress {
  const { lookup = systemLookup, timeoutMs = TIMEOUT_MS, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const list = createAllowList(allow);
  /** Calls of one agent share its connections, so each policy has its own agent. */
  const agentOf = (needsAllowing: boolean) =>
    new EnvHttpProxyAgent({
      connections: MAX_CONNECTIONS,
      connect: {
        timeout: timeoutMs,
        lookup: pinned(lookup, (host, addresses) => requireAllowed({ host, needsAllowing }, addresses, list)),
      },
      maxResponseSize: maxAnswerBytes,
    });
  const agents = { strict: agentOf(true), usual: agentOf(false) };

  /** A target that is an IP address is checked here, because no lookup follows. */
  function checkedTarget(url: string): Target {
    const target = targetOf(url);
    if (target.isAddress) requireAllowed(target, [target.host], list);
    return target;
  }

  async function check(url: string): Promise<void> {
    const target = checkedTarget(url);
    if (target.isAddress || list.hasHost(target.host)) return;
    const found = await pTimeout(lookup(target.host), { milliseconds: MAX_LOOKUP_MS }).catch(() => []);
    requireAllowed(target, found.map(addressOf), list);
  }

  return {
    check,

    async request({ url, method, headers, body, statusOnly, signal }) {
      const { needsAllowing } = checkedTarget(url);
      if (hasProxy()) await check(url);
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await request(url, {
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          body,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
          dispatcher: needsAllowing ? agents.strict : agents.usual,
        });
        const bytes = statusOnly ? await dropped(answer.body) : await answer.body.bytes();
        if (answer.statusCode >= 300 && answer.statusCode < 400) {
          throw new EgressFailed('it responded with a redirect, which is not followed');
        }
        return {
          status: answer.statusCode,
          headers: answer.headers,
          body: decoder.decode(bytes),
          isUtf8: isUtf8(bytes),
        };
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw failureOf(error, { isTimeout: timeout.aborted, maxAnswerBytes });
      }
    },

    async close() {
      await Promise.all([agents.strict.destroy(), agents.usual.destroy()]);
    },
  };
}

const hasProxy = () => ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => process.env[name]);

/** Drains a short body so that the connection can be reused. */
async function dropped(body: { dump(options: { limit: number }): Promise<void> }): Promise<Uint8Array> {
  await body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined);
  return new Uint8Array();
}

/** A `lookup` for `net.connect` that checks the addresses it returns. */
function pinned(lookup: Lookup, check: (host: string, addresses: string[]) => void): LookupFunction {
  return (hostname, { all }, done) => {
    const found = lookup(hostname).then((addresses) => {
      if (addresses.length === 0)
        throw Object.assign(new Error('The host name has no address.'), { code: 'ENOTFOUND' });
      check(hostname, addresses.map(addressOf));
      return addresses;
    });
    found.then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)),
      (error: unknown) => done(error as NodeJS.ErrnoException, []),
    );
  };
}

const addressOf = ({ address }: LookupAddress) => address;

const MESSAGES: Record<string, string> = {
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNREFUSED: 'the host refused the connection',
  UND_ERR_CONNECT_TIMEOUT: 'there was no response in time',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many headers',
};

/** Messages of system errors contain addresses: they stay in the cause, for the log. */
function failureOf(
  error: unknown,
  { isTimeout, maxAnswerBytes }: { isTimeout: boolean; maxAnswerBytes: number },
): Error {
  const causes = withCauses(error);
  const known = causes.find((cause) => cause instanceof EgressRejected || cause instanceof EgressFailed);
  if (known) return known;
  if (isTimeout) return new EgressFailed('there was no response in time', { cause: error });
  const codes = causes.map((cause) => String((cause as { code?: unknown } | null)?.code));
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE')) {
    return new EgressFailed(`the response is larger than ${maxAnswerBytes / KIB} KiB`, { cause: error });
  }
  const message = codes.map((code) => MESSAGES[code]).find(Boolean);
  return new EgressFailed(message ?? 'the connection failed', { cause: error });
}
