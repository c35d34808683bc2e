import { messageOf } from './message-of.js';

/** A part of the request that is not valid. */
export interface ErrorDetail {
  /** Such as `body._name`. */
  location: string;
  message: string;
}

/** What all errors of this package have in common. */
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

/** The platform has refused a call, or could not do it. */
export class ApiError extends DtplatformError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The name of the error, for programs, such as `NAME_TAKEN`. */
  readonly code: string;
  /** Finds the call in the logs of the platform. */
  readonly requestId?: string;
  /** The parts of the request that are not valid. */
  readonly details: ErrorDetail[];
  /** When to try again, if the platform says so. */
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

/** The platform could not be reached, or the connection was cut. Whether it has received the call is not known. */
export class NetworkError extends DtplatformError {
  override name = 'NetworkError';
}

/** The platform did not answer in time. Whether it has done what the call asked for is not known. */
export class TimeoutError extends DtplatformError {
  override name = 'TimeoutError';
}

/** There is no session, or it has expired or was revoked: the user must sign in again. */
export class SignedOutError extends DtplatformError {
  override name = 'SignedOutError';
}

/** The sign-in was denied, or its answer belongs to no sign-in that was begun here. */
export class SignInError extends DtplatformError {
  override name = 'SignInError';
  /** The code of OAuth, such as `access_denied`. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Accepted work has failed, or was cancelled. */
export class WorkFailedError<Work = unknown> extends DtplatformError {
  override name = 'WorkFailedError';
  /** The task or the run, as it was read last. */
  readonly work: Work;

  constructor(message: string, work: Work) {
    super(message);
    this.work = work;
  }
}

/** An upload has stopped; what was stored is kept. Continue it with `resume: fileId`. */
export class UploadInterruptedError extends DtplatformError {
  override name = 'UploadInterruptedError';
  readonly fileId: string;

  constructor(fileId: string, cause: unknown) {
    super(`The upload was interrupted: ${messageOf(cause)}`, { cause });
    this.fileId = fileId;
  }
}

/** A file got other content while it was downloaded. */
export class ContentChangedError extends DtplatformError {
  override name = 'ContentChangedError';
}
