export { copyExamples, copyMessageExamples } from './copy-examples.js';
export { describeApi } from './describe-api.js';
export type { ApiDescription, OpenApiDocument } from './describe-api.js';
export { inlineParts, shareParts } from './share-parts.js';
export { missingInMessages, missingParts } from './missing-parts.js';
