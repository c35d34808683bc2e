import { isNativeError } from 'node:util/types';
import { commonErrors, isNetworkError, withCauses } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const NAMES = new Set(['ClusterAllFailedError', 'MaxRetriesPerRequestError', 'UnconfirmedWriteError']);
/** ioredis's messages for a lost connection; these errors have no code. */
const CLIENT_MESSAGES =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Socket timeout|connect ETIMEDOUT|Cluster isn't ready|Cluster is ended|Too many Cluster redirections|All sentinels are unreachable)/;
/** Error responses of a server that cannot serve at the moment or rejects this process's credentials. */
const SERVER_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|UNBLOCKED|BUSY|NOREPLICAS|OOM|MISCONF|NOAUTH|WRONGPASS) /;

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean that Redis is unavailable, starting or overloaded. Also
 * matches causes. Undefined for all others.
 */
export const redisErrors = (error: unknown): AppError | undefined =>
  withCauses(error).some(isOutage) ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;

const isOutage = (error: unknown): boolean =>
  isNativeError(error) &&
  (NAMES.has(error.name) ||
    isNetworkError(error) ||
    CLIENT_MESSAGES.test(error.message) ||
    (error.name === 'ReplyError' && SERVER_REPLIES.test(error.message)));
