export { AppError, defineErrors } from './app-error.js';
export type { ErrorDefinition, ErrorDetail, ErrorFactory, ErrorOptions } from './app-error.js';
export { commonErrors } from './common-errors.js';
