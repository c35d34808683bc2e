import {
  ApiError,
  DtplatformError,
  NetworkError,
  SignedOutError,
  SignInError,
  TimeoutError,
  UploadInterruptedError,
  WorkFailedError,
} from '@dtplatform/sdk';
import { DiskError } from '@dtplatform/sdk/node';
import { Interrupted } from './interruption.js';
import { printable } from './output.js';
import { UsageError } from './usage-error.js';

/** Exit codes for scripts; documented in the README. */
export const EXIT_CODES = {
  failed: 1,
  usage: 2,
  signedOut: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
  unavailable: 7,
  workFailed: 8,
  disk: 9,
};

/** The platform rejected an entry of a call. */
export class RefusedError extends DtplatformError {
  override name = 'RefusedError';

  /** @param code of the error, for programs */
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(`${message} (${code})`);
  }
}

/** Error codes of entries that correspond to a 403. The response as a whole is a 200. */
const FORBIDDEN_CODES = new Set(['MAY_NOT_GRANT', 'MAY_NOT_REVOKE', 'LAST_OWNER']);

const BY_STATUS: Record<number, number> = {
  401: EXIT_CODES.signedOut,
  403: EXIT_CODES.forbidden,
  404: EXIT_CODES.notFound,
  409: EXIT_CODES.conflict,
  412: EXIT_CODES.conflict,
  423: EXIT_CODES.conflict,
  429: EXIT_CODES.unavailable,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof UploadInterruptedError) return exitCodeOf(error.cause);
  if (error instanceof RefusedError) return FORBIDDEN_CODES.has(error.code) ? EXIT_CODES.forbidden : EXIT_CODES.failed;
  if (error instanceof ApiError)
    return BY_STATUS[error.status] ?? (error.status >= 500 ? EXIT_CODES.unavailable : EXIT_CODES.failed);
  const [, code] = BY_CLASS.find(([type]) => error instanceof type) ?? [];
  return code ?? EXIT_CODES.failed;
}

const BY_CLASS: [new (...args: never[]) => Error, number][] = [
  [UsageError, EXIT_CODES.usage],
  [SignedOutError, EXIT_CODES.signedOut],
  [SignInError, EXIT_CODES.signedOut],
  [NetworkError, EXIT_CODES.unavailable],
  [TimeoutError, EXIT_CODES.unavailable],
  [WorkFailedError, EXIT_CODES.workFailed],
  [DiskError, EXIT_CODES.disk],
];

/** Describes an error and what the user can do. */
export function explain(error: unknown): string {
  if (error instanceof UploadInterruptedError)
    return `${printable(error.message)}\nThe stored part is kept: run the same command again to continue.`;
  if (error instanceof SignedOutError) return `${error.message}\nSign in with: dt login`;
  if (error instanceof ApiError) return explainApiError(error);
  // The class and stack of an unknown error would only help developers.
  return printable(error instanceof Error ? error.message : String(error));
}

function explainApiError({ message, code, details, requestId, status }: ApiError): string {
  // The message has the first one.
  const parts = details.slice(1).map((detail) => `  ${detail.location}: ${detail.message}`);
  const hint = status === 401 ? ['Sign in with: dt login'] : [];
  const id = requestId === undefined ? '' : `, request ${requestId}`;
  return [`${message} (${code}${id})`, ...parts, ...hint].map(printable).join('\n');
}
