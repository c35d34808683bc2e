import { AppError, defineErrors, errorFactory } from './app-error.js';

const TOKEN_NEEDED = 'A valid access token is required.';

export const commonErrors = {
  ...defineErrors({
    badRequest: {
      status: 400,
      message: 'The request is invalid.',
      remedy: 'Check `errors` in the response: it names each invalid part.',
    },
    pageTooLarge: {
      status: 400,
      message:
        'The page is larger than 16 MiB. Request fewer entries with _pageSize, or fewer fields where the list supports a projection.',
      remedy: 'Request a smaller `_pageSize` or, where supported, fewer fields with `project`.',
    },
    forbidden: {
      status: 403,
      message: 'The caller is not allowed to do this.',
      remedy:
        'Ask someone who holds SHARE on the resource for the permission; `permissions.check` shows why it is missing.',
    },
    notFound: {
      status: 404,
      message: 'The resource does not exist, or the caller has no access to it.',
      remedy: 'Check the id and the namespace. Resources that the caller may not read return the same error.',
    },
    methodNotAllowed: {
      status: 405,
      message: 'This resource does not support the method.',
      remedy: 'Use one of the methods in the `Allow` header.',
    },
    conflict: {
      status: 409,
      message: 'The request conflicts with the current state of the resource.',
      remedy: 'Read the resource again, then decide whether to retry.',
    },
    replyGone: {
      status: 409,
      message: 'The first request succeeded, but its response cannot be returned again.',
      remedy: 'Do not retry: the call has taken effect. Find what it created with a list or a search.',
    },
    preconditionFailed: {
      status: 412,
      message: 'The resource has changed since it was read.',
      remedy: 'Read the resource again and retry the write with its new `ETag`.',
    },
    unsupportedMediaType: {
      status: 415,
      message: 'The content type or encoding is not supported.',
      remedy: 'Send a `Content-Type` and an encoding that the operation supports.',
    },
    requestTimeout: {
      status: 408,
      message: 'The request body did not arrive in time.',
      remedy: 'Send the body faster or in smaller parts; use a resumable upload for large files.',
    },
    callerDisconnected: {
      status: 499,
      message: 'The caller disconnected before the response was complete.',
      remedy: 'None: this error appears only in logs.',
    },
    internal: {
      status: 500,
      message: 'Something went wrong.',
      remedy: 'Report the `requestId` to the operator. Retry only with the same `Idempotency-Key`.',
    },
  }),

  /** 401 with the challenge of RFC 6750, section 3. @param message without quotes */
  unauthorized: errorFactory(
    {
      status: 401,
      code: 'UNAUTHORIZED',
      message: TOKEN_NEEDED,
      remedy: 'Get a new access token with the refresh token; if that fails, sign in again.',
    },
    ({
      tokenSent,
      message = TOKEN_NEEDED,
      cause,
    }: { message?: string; cause?: unknown; tokenSent?: boolean } = {}) => ({
      message,
      cause,
      headers: {
        'www-authenticate': tokenSent ? `Bearer error="invalid_token", error_description="${message}"` : 'Bearer',
      },
    }),
  ),

  /** 413 with the limit, if known. */
  payloadTooLarge: errorFactory(
    {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The request body is too large.',
      remedy: 'Split the request into several calls.',
    },
    ({ maxBytes, cause }: { maxBytes?: number; cause?: unknown } = {}) => ({
      cause,
      message: maxBytes === undefined ? undefined : `The request body is larger than ${maxBytes} bytes.`,
    }),
  ),

  /** 503: a backend is unavailable. Callers should retry after `retryAfterSec` seconds. */
  unavailable: errorFactory(
    {
      status: 503,
      code: 'UNAVAILABLE',
      message: 'Part of the platform is temporarily unavailable.',
      remedy: 'Retry after the number of seconds in `Retry-After`.',
    },
    ({ retryAfterSec = 1, cause }: { retryAfterSec?: number; cause?: unknown } = {}) => ({
      cause,
      headers: { 'retry-after': String(retryAfterSec) },
    }),
  ),

  tooManyRequests: errorFactory(
    {
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      message: 'Too many requests.',
      remedy: 'Wait for the number of seconds in `Retry-After`.',
    },
    ({ retryAfterSec = 1, message }: { retryAfterSec?: number; message?: string } = {}) => ({
      message,
      headers: { 'retry-after': String(retryAfterSec) },
    }),
  ),
};

/** Whether an error is the caller's to fix: an AppError below 500. Retrying does not help. */
export const isRejection = (error: unknown): error is AppError => error instanceof AppError && error.status < 500;

/** Whether part of the platform is unavailable (503). Retrying may help. */
export const isUnavailable = (error: unknown): error is AppError => error instanceof AppError && error.status === 503;
