import type { IncomingMessage } from 'node:http';
import { createSemaphore } from '@dtplatform/budget';
import { commonErrors } from '@dtplatform/errors';
import { withoutToken } from '@dtplatform/http';
import type { IsAllowedOrigin } from '@dtplatform/http';
import { bearerToken } from '@dtplatform/jwt';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { PROTOCOL } from './messages.http.js';

export const MAX_CONNECTIONS_OF_CALLER = 16;
const BROWSER_TOKEN = /^bearer\.([A-Za-z0-9\-._~]+)$/;

interface Deps {
  openToken: (token: string) => Promise<Access>;
  isAllowedOrigin: IsAllowedOrigin;
  maxConnections: number;
}

export function createAdmission({ openToken, isAllowedOrigin, maxConnections }: Deps) {
  const semaphore = createSemaphore({ max: maxConnections, maxOfOwner: MAX_CONNECTIONS_OF_CALLER });
  let isStopping = false;

  function requirePlace(): void {
    if (isStopping || semaphore.isFull()) throw commonErrors.unavailable();
  }

  return {
    /** @throws 401, 403 for a page of another origin, 503 while the process has too many connections */
    async admit(req: IncomingMessage): Promise<{ access: Access; token: string }> {
      requirePlace();
      const { origin, authorization } = req.headers;
      if (origin !== undefined && !(await isAllowedOrigin(origin))) {
        throw commonErrors.forbidden({ message: 'Pages from this origin are not allowed to connect.' });
      }
      const token = tokenOf(req);
      if (!token) throw withoutToken(authorization);
      return { access: await openToken(token), token };
    },
    /**
     * Counts a connection of a caller.
     * @returns call it when the connection ends
     * @throws 429, 503
     */
    take(caller: string): () => void {
      requirePlace();
      if (semaphore.hasMost(caller)) throw errors.tooManyConnections();
      return semaphore.take(caller);
    },
    stop: (): void => void (isStopping = true),
  };
}

/** From `Authorization` or, in browsers, a subprotocol `bearer.<token>`. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const named = offered.includes(PROTOCOL) ? offered.map((name) => BROWSER_TOKEN.exec(name)?.[1]) : [];
  return bearerToken(headers) ?? named.find((token) => token !== undefined);
}
