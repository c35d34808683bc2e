import { randomBytes } from 'node:crypto';
import { TEST_AUDIENCE, TEST_ISSUER } from './tokens.js';

/**
 * The environment of a service under test: the real backends of the test run, with a separate database. Other services
 * and the key server point to an address where nothing listens.
 */
export function testEnvironment(service: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const unique = randomBytes(4).toString('hex');
  const nobody = 'http://127.0.0.1:9';
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    BASE_URL: TEST_AUDIENCE,
    PORT: '0',
    ADMIN_PORT: '0',
    SHUTDOWN_GRACE_MS: '5000',
    HOST: '127.0.0.1',
    MONGO_URL: required('MONGO_URL'),
    MONGO_DB: `test_${service}_${unique}`,
    // One Redis database per worker of a package's tests. Packages share them, and separate their keys.
    REDIS_URL: `${required('REDIS_URL').replace(/\/\d*$/, '')}/${process.env.JEST_WORKER_ID ?? '0'}`,
    S3_ENDPOINT: required('S3_ENDPOINT'),
    S3_ACCESS_KEY: required('S3_ACCESS_KEY'),
    S3_SECRET_KEY: required('S3_SECRET_KEY'),
    S3_BUCKET: `test-${service}-${unique}`,
    OAUTH_ISSUER: TEST_ISSUER,
    JWKS_URL: `${nobody}/jwks`,
    TOKEN_URL: `${nobody}/token`,
    SERVICE_CLIENT_ID: 'test-service-client',
    SERVICE_CLIENT_SECRET: 'test-service-secret-0123456789',
    OBJECTMODELSVC_URL: nobody,
    FILESVC_URL: nobody,
    PASSPORTSVC_URL: nobody,
    GRAPHICSSVC_URL: nobody,
    ITEMSVC_URL: nobody,
    METRICSVC_URL: nobody,
    DATASOURCESVC_URL: nobody,
    ...more,
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with "npm run test:unit", which starts the backends`);
  return value;
}
