import type { Mount } from '@dtplatform/http';
import { describeOperation } from './operation.js';
import type { Operation } from './operation-object.js';
import { ERROR_SCHEMAS } from './error-schemas.js';
import { createSchemas } from './schemas.js';

/** An API: what its description says besides the routes, and the routes. */
export interface ApiDescription {
  title: string;
  description: string;
  mounts: Mount[];
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; description: string; version: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

const API_VERSION = '1.0.0';

/** Generates the OpenAPI document of a service from its route tables. */
export function describeApi({ title, description, mounts }: ApiDescription): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  const components: Record<string, object> = { ...ERROR_SCHEMAS };
  const schemas = createSchemas(components);
  for (const { prefix, tables, errorFormat } of mounts) {
    for (const table of tables) {
      for (const route of table.routes) {
        const path = openApiPath(prefix + table.base + route.path);
        const operations = (paths[path] ??= {});
        const format = route.errorFormat ?? table.errorFormat ?? errorFormat;
        operations[route.method] = describeOperation(route, path, format, operations[route.method], schemas);
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title, description, version: API_VERSION },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: components,
    },
  };
}

/** Converts the Express path `/files/:id/` to `/files/{id}`. */
const openApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1');
