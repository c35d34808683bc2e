import { randomBytes } from 'node:crypto';
import { clientCredentials } from '@dtplatform/stack/client';
import { oncePerCount, startOwnService } from './own-service.js';

const secret = () => randomBytes(24).toString('base64url');

/** A separate passportsvc, with many users in one organization and a token of the organization's app. */
export const manyUsers = oncePerCount(async (bench, users) => {
  const app = { orgId: 'many-users', appId: 'many-users-app', appSecret: secret() };
  const { url, pid } = await startOwnService(bench, {
    service: 'passportsvc',
    main: 'services/passportsvc/dist/main.js',
    database: `bench_users_${users}`,
    seed: ['load/seed-users', { orgId: app.orgId, users }],
    env: (baseUrl) => ({
      BASE_URL: baseUrl,
      OAUTH_ISSUER: `${baseUrl}/passportsvc/api/v1/oauth`,
      JWKS_URL: `${baseUrl}/passportsvc/api/v1/oauth/jwks`,
      TOKEN_URL: `${baseUrl}/passportsvc/api/v2/oauth/token`,
      ITEMSVC_URL: bench.serviceOf('itemsvc').url,
      ...{ SERVICE_CLIENT_ID: 'services', SERVICE_CLIENT_SECRET: secret() },
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ...{ BOOTSTRAP_ADMIN_PASSWORD: secret(), BOOTSTRAP_APP_SECRET: secret() },
      BOOTSTRAP_DEV: JSON.stringify({ second: app, shortLived: { appId: 'short-lived', appSecret: secret() } }),
    }),
  });
  const { access_token: token } = await clientCredentials({ ...bench.stack.dev, ...app, baseUrl: url });
  return { url, pid, token };
});
