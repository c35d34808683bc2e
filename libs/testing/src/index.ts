export { testEnvironment } from './environment.js';
export { eventually } from './eventually.js';
export { createGrantTable } from './grant-table.js';
export type { GrantTable } from './grant-table.js';
export { startOtlpCollector } from './otlp-collector.js';
export type { ReceivedSpan } from './otlp-collector.js';
export { createTestTokens, TEST_ISSUER } from './tokens.js';
export type { TestTokens } from './tokens.js';
