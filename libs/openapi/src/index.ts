export { describeApi } from './describe-api.js';
export type { ApiDescription, OpenApiDocument } from './describe-api.js';
export { openApiTable } from './openapi-table.js';
