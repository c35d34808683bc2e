export { copyExamples, copyMessageExamples } from './copy-examples.js';
export { describeApi } from './describe-api.js';
export type { ApiDescription, OpenApiDocument } from './describe-api.js';
export { inlineParameters, shareParameters } from './share-parameters.js';
export { missingInMessages, missingParts } from './missing-parts.js';
