import { platformErrors } from '@dtplatform/http';
import type { Mount } from '@dtplatform/http';
import { createComponents, onlyUsed } from './components.js';
import { ERROR_SCHEMAS } from './error-schemas.js';
import { mergeOperations } from './merge-operations.js';
import type { Operation } from './operation-object.js';
import { describeOperation } from './operation.js';
import type { Sources } from './operation.js';
import { createSchemas } from './schemas.js';
import { SECURITY, SECURITY_SCHEMES } from './security.js';

/** An API: its routes and the rest of its description. */
export interface ApiDescription {
  title: string;
  description: string;
  mounts: Mount[];
  /** One sentence for each group of operations, by the part before the dot in their names. */
  tags?: Record<string, string>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; description: string; version: string; contact: object; license: object };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

const DOCUMENT = {
  openapi: '3.1.0' as const,
  servers: [{ url: '/', description: 'The installation that serves this document.' }],
  security: SECURITY,
};
const INFO = {
  version: '1.0.0',
  contact: { name: 'dtplatform' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Generates the OpenAPI document of a service from its route tables. */
export function describeApi(api: ApiDescription): OpenApiDocument {
  const components = createComponents();
  const sources = { schemas: createSchemas(components), components };
  for (const [name, schema] of Object.entries(ERROR_SCHEMAS)) components.add('schemas', name, schema);
  const paths = describePaths(api.mounts, sources);
  const used = new Set(Object.values(paths).flatMap((each) => Object.values(each).flatMap(({ tags }) => tags)));
  return {
    ...DOCUMENT,
    info: { title: api.title, description: api.description, ...INFO },
    tags: [...used].map((name) => ({ name, ...(api.tags?.[name] ? { description: api.tags[name] } : {}) })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, ...onlyUsed(paths, components.sections) },
  };
}

function describePaths(mounts: Mount[], sources: Sources): OpenApiDocument['paths'] {
  const variants: Record<string, Record<string, Operation[]>> = {};
  for (const { prefix, tables, errorFormat } of mounts) {
    for (const table of tables) {
      for (const route of table.routes) {
        const path = openApiPath(prefix + table.base + route.path);
        const format = route.errorFormat ?? table.errorFormat ?? errorFormat ?? platformErrors;
        ((variants[path] ??= {})[route.method] ??= []).push(describeOperation(route, path, format, sources));
      }
    }
  }
  const merged = Object.entries(variants).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, list]) => [method, mergeOperations(list, sources.components)]),
    ),
  ]);
  return Object.fromEntries(merged) as OpenApiDocument['paths'];
}

/** Converts the Express path `/files/:id/` to `/files/{id}`. */
const openApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1');
