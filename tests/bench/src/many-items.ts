import { oncePerCount, startOwnService } from './own-service.js';

const NAMESPACE = 'many_items';

/** A separate itemsvc without authentication, with many items in one namespace. */
export const manyItems = oncePerCount(async (bench, items) => {
  const passportsvc = bench.serviceOf('passportsvc').url;
  const { baseUrl } = bench.stack;
  const started = await startOwnService(bench, {
    service: 'itemsvc',
    main: 'tests/bench/dist/references/open-itemsvc/main.js',
    database: `bench_items_${items}`,
    seed: ['load/seed-items', { namespace: NAMESPACE, items }],
    env: () => ({
      BASE_URL: baseUrl,
      OAUTH_ISSUER: `${baseUrl}/passportsvc/api/v1/oauth`,
      JWKS_URL: `${passportsvc}/passportsvc/api/v1/oauth/jwks`,
      TOKEN_URL: `${passportsvc}/passportsvc/api/v2/oauth/token`,
      PASSPORTSVC_URL: passportsvc,
      ...{ SERVICE_CLIENT_ID: 'services', SERVICE_CLIENT_SECRET: 'nothing asks for a token here' },
    }),
  });
  return { ...started, namespace: NAMESPACE };
});
