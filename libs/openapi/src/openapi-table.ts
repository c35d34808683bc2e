import { ok, route, routes } from '@dtplatform/http';
import type { RouteTable } from '@dtplatform/http';
import type { OpenApiDocument } from './describe-api.js';

/** Serves the document at `<prefix>/openapi.json`, without authentication. */
export const openApiTable = (document: OpenApiDocument): RouteTable =>
  routes('/openapi.json', [
    route.get('/', {
      operation: 'openapi.get',
      summary: 'This API, described.',
      auth: 'none',
      replies: { 200: { contentType: 'application/json', description: 'An OpenAPI 3.1 document.' } },
      handler: async () => ok(document, { 'cache-control': 'public, max-age=300' }),
    }),
  ]);
