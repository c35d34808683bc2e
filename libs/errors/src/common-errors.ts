import { AppError, defineErrors, errorFactory } from './app-error.js';

const TOKEN_NEEDED = 'A valid access token is required.';

/** Errors that mean the same in every service. */
export const commonErrors = {
  ...defineErrors({
    badRequest: { status: 400, message: 'The request is invalid.' },
    pageTooLarge: {
      status: 400,
      message:
        'The page has more than 16 MiB. Ask for fewer entries with _pageSize, or for fewer fields where the list takes a projection.',
    },
    forbidden: { status: 403, message: 'The caller is not allowed to do this.' },
    notFound: { status: 404, message: 'There is no such resource, or the caller may not see it.' },
    methodNotAllowed: { status: 405, message: 'This resource does not support the method.' },
    conflict: { status: 409, message: 'The request conflicts with the current state of the resource.' },
    replyGone: { status: 409, message: 'The first request has succeeded, but its reply cannot be shown again.' },
    preconditionFailed: { status: 412, message: 'The resource has changed since it was read.' },
    unsupportedMediaType: { status: 415, message: 'The content type or encoding is not supported.' },
    requestTimeout: { status: 408, message: 'The request body did not arrive in time.' },
    callerDisconnected: { status: 499, message: 'The caller disconnected before the answer was complete.' },
    internal: { status: 500, message: 'Something went wrong.' },
  }),

  /** 401 with the challenge of RFC 6750, section 3. @param message without quotes */
  unauthorized: errorFactory(
    { status: 401, code: 'UNAUTHORIZED', message: TOKEN_NEEDED },
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

  /** 413 that names the limit, if it is known. */
  payloadTooLarge: errorFactory(
    { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'The request body is too large.' },
    ({ maxBytes, cause }: { maxBytes?: number; cause?: unknown } = {}) => ({
      cause,
      message: maxBytes === undefined ? undefined : `The request body has more than ${maxBytes} bytes.`,
    }),
  ),

  /** 503: a backend is unavailable. It may have recovered in `retryAfterSec` seconds. */
  unavailable: errorFactory(
    { status: 503, code: 'UNAVAILABLE', message: 'A part of the platform is temporarily unavailable.' },
    ({ retryAfterSec = 1, cause }: { retryAfterSec?: number; cause?: unknown } = {}) => ({
      cause,
      headers: { 'retry-after': String(retryAfterSec) },
    }),
  ),

  /** 429: retry in `retryAfterSec` seconds. */
  tooManyRequests: errorFactory(
    { status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests.' },
    ({ retryAfterSec = 1, message }: { retryAfterSec?: number; message?: string } = {}) => ({
      message,
      headers: { 'retry-after': String(retryAfterSec) },
    }),
  ),
};

/** Whether an error refuses the caller's request: an AppError below 500. Trying again would not help. */
export const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.status < 500;

/** Whether an error means that a part of the platform is unavailable (503): trying again later may help. */
export const isUnavailable = (error: unknown): error is AppError => error instanceof AppError && error.status === 503;
