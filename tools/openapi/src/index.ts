export { describeApi } from './describe-api.js';
export type { ApiDescription, OpenApiDocument } from './describe-api.js';
export type { Examples } from './examples.js';
export { missingInMessages, missingParts } from './missing-parts.js';
