export { AppError, defineErrors } from './app-error.js';
export type { ErrorDefinition, ErrorDetail, ErrorFactory, ErrorOptions } from './app-error.js';
export { commonErrors, isRefusal, isUnavailable } from './common-errors.js';
export { describeIssue } from './describe-issue.js';
