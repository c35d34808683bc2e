import { messageOf } from './message-of.js';

/** An invalid part of the request. */
export interface ErrorDetail {
  /** Such as `body._name`. */
  location: string;
  message: string;
}

/** The base class of all errors of this package. */
export class DtplatformError extends Error {
  override name = 'DtplatformError';
}

export interface ApiErrorFields {
  status: number;
  code: string;
  requestId?: string;
  details?: ErrorDetail[];
  retryAfterMs?: number;
}

/** The platform rejected a call or failed. */
export class ApiError extends DtplatformError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** Identifies the error for programs, such as `NAME_TAKEN`. */
  readonly code: string;
  /** Identifies the call in the platform's logs. */
  readonly requestId?: string;
  /** The invalid parts of the request. */
  readonly details: ErrorDetail[];
  /** When to retry, if the platform sent it. */
  readonly retryAfterMs?: number;

  constructor(message: string, { status, code, requestId, details = [], retryAfterMs }: ApiErrorFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The platform could not be reached, or the connection broke. Whether it has received the call is unknown. */
export class NetworkError extends DtplatformError {
  override name = 'NetworkError';
}

/** Something else than the platform answers at the base URL, or nothing does. Retrying does not help. */
export class NoPlatformError extends NetworkError {
  override name = 'NoPlatformError';

  constructor(url: string, reason: string, options?: ErrorOptions) {
    super(`No dtplatform answers at ${url.replace(/\?.*/s, '')}: ${reason}. Check the base URL.`, options);
  }
}

/** The platform did not respond in time. Whether the call had an effect is unknown. */
export class TimeoutError extends DtplatformError {
  override name = 'TimeoutError';
}

/** There is no session, or it has expired or was revoked: the user must sign in again. */
export class SignedOutError extends DtplatformError {
  override name = 'SignedOutError';
}

/** The sign-in was denied, or the redirect belongs to no sign-in that was started here. */
export class SignInError extends DtplatformError {
  override name = 'SignInError';
  /** The OAuth error code, such as `access_denied`. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Accepted work has failed or was cancelled. */
export class WorkFailedError<Work = unknown> extends DtplatformError {
  override name = 'WorkFailedError';
  /** The task or run in its last known state. */
  readonly work: Work;

  constructor(message: string, work: Work) {
    super(message);
    this.work = work;
  }
}

/** An upload has stopped; what was stored is kept. Resume it with `resume: fileId`. */
export class UploadInterruptedError extends DtplatformError {
  override name = 'UploadInterruptedError';
  readonly fileId: string;

  constructor(fileId: string, cause: unknown) {
    super(`The upload was interrupted: ${messageOf(cause)}`, { cause });
    this.fileId = fileId;
  }
}

/** The content of a file changed during its download. */
export class ContentChangedError extends DtplatformError {
  override name = 'ContentChangedError';
}
