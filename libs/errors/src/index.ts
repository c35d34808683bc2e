export { AppError, defineErrors, errorFactory } from './app-error.js';
export type { DeclaredError, ErrorDefinition, ErrorDetail, ErrorFactory, ErrorOptions } from './app-error.js';
export { commonErrors, isRejection, isUnavailable } from './common-errors.js';
export { isNetworkError, NETWORK_ERROR_CODES, withCauses } from './network-errors.js';
export { describeIssue, describeIssues } from './describe-issue.js';
export { tryEach } from './try-each.js';
