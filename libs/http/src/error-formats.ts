import type { AppError } from '@dtplatform/errors';

/** The error format of a mount. */
export interface ErrorFormat {
  contentType: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as is if it is a string. @param baseUrl of the platform; links are relative without it */
  body(error: AppError, requestId: string, baseUrl?: string): unknown;
}

/** The headings on the errors page are the error codes. */
const documentationOf = (code: string, baseUrl = '') => `${baseUrl}/docs/guides/errors#${code.toLowerCase()}`;

/** `{status, code, message, requestId, documentation, errors?}`; a 401 also has the fields of RFC 6750. */
export const platformErrors: ErrorFormat = {
  contentType: 'application/json; charset=utf-8',
  body: (error, requestId, baseUrl) => ({
    status: error.status,
    code: error.code,
    message: error.message,
    requestId,
    documentation: documentationOf(error.code, baseUrl),
    ...(error.details ? { errors: error.details } : {}),
    ...(error.status === 401 ? { error: 'invalid_token', error_description: error.message } : {}),
  }),
};

const SCIM_TYPES: Record<string, string> = {
  UNIQUENESS: 'uniqueness',
  INVALID_FILTER: 'invalidFilter',
  INVALID_SYNTAX: 'invalidSyntax',
  INVALID_PATH: 'invalidPath',
  INVALID_VALUE: 'invalidValue',
  MUTABILITY: 'mutability',
  NO_TARGET: 'noTarget',
  TOO_MANY: 'tooMany',
  PAGE_TOO_LARGE: 'tooMany',
};

/** RFC 7644, section 3.12. */
export const scimErrors: ErrorFormat = {
  contentType: 'application/scim+json; charset=utf-8',
  body: (error) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(error.status),
    ...(error.status === 400
      ? { scimType: SCIM_TYPES[error.code] ?? (error.details ? 'invalidValue' : 'invalidSyntax') }
      : {}),
    ...(error.status === 409 && error.code in SCIM_TYPES ? { scimType: SCIM_TYPES[error.code] } : {}),
    detail: [error.message, ...(error.details ?? []).map((d) => `${d.location}: ${d.message}`)].join(' '),
  }),
};

/** RFC 6749, section 5.2. `error` is the code in lower case. */
export const oauthErrors: ErrorFormat = {
  contentType: 'application/json; charset=utf-8',
  body: (error) => ({
    error: error.status >= 500 ? 'temporarily_unavailable' : error.code.toLowerCase(),
    error_description: error.message,
  }),
};
