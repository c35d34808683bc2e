import { commonErrors } from '@dtplatform/errors';
import type { DeclaredError } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { ApiVersion } from './issue-token.handler.js';

/** Why no token is issued (RFC 6749, section 5.2). Version 1 says so with other statuses. */
export function tokenErrors(version: ApiVersion): DeclaredError[] {
  return [
    errors.invalidRequest,
    errors.invalidClient,
    errors.invalidGrant,
    errors.unauthorizedClient,
    errors.unsupportedGrantType,
    errors.invalidScope,
  ].map(({ definition }) => ({ definition: version === 1 ? { ...definition, status: 403 } : definition }));
}

/** A GET may have other parameters in a body as well. */
export const refreshErrors = [
  ...tokenErrors(1),
  commonErrors.methodNotAllowed,
  commonErrors.requestTimeout,
  commonErrors.payloadTooLarge,
  commonErrors.unsupportedMediaType,
];
