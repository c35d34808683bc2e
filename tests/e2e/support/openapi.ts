import { readFileSync } from 'node:fs';
import { inlineParts } from '@dtplatform/testing';
import { repositoryFile } from './repository.js';
import { SERVICES, type ServiceName } from './platform.js';

/** How callers are rejected (`Declaration` of libs/permissions). */
type Rule = 'resource' | 'all' | 'filter' | 'entries' | 'organization' | 'own' | 'anyone';

/** The parts of JSON Schema in the descriptions. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  minimum?: number;
  pattern?: string;
}

interface Operation {
  operationId: string;
  'x-permission'?: { rule: Rule; action?: string; resource?: string };
  security?: Record<string, string[]>[];
  'x-callers'?: string[];
  'x-alias-of'?: string;
  /** The operations with this path and method, if there are several. */
  'x-operations'?: string[];
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: { type?: string } }[];
  requestBody?: { required: boolean; content: Record<string, unknown> };
}

/** One operation of a service, from its API description. */
export interface DescribedOperation extends Operation {
  service: ServiceName;
  method: string;
  /** With its parameters in braces. */
  path: string;
  /** The format of its errors. */
  errors: 'platform' | 'oauth' | 'scim';
}

/** The committed API description of a service. */
export const describedBy = (service: ServiceName): { paths: Record<string, Record<string, Operation>> } =>
  inlineParts(JSON.parse(readFileSync(repositoryFile(`services/${service}/openapi.json`), 'utf8')) as never);

/** All operations of all services. */
export const operations: DescribedOperation[] = SERVICES.flatMap((service) =>
  Object.entries(describedBy(service).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      ...{ service, path, method: method.toUpperCase(), errors: errorsOf(path) },
    })),
  ),
);

function errorsOf(path: string): DescribedOperation['errors'] {
  // The registration of SCIM servers is not part of SCIM.
  if (path.includes('/api/v1/scim/')) return 'scim';
  return path.includes('/oauth/') ? 'oauth' : 'platform';
}

/** Without `security`, the document's default applies: a token. */
export const needsToken = ({ security }: DescribedOperation): boolean => security === undefined;
/** The JSON body of an operation; SCIM has its own media type. */
export const jsonBodyOf = ({ requestBody }: Pick<Operation, 'requestBody'>): { schema?: object } | undefined =>
  (requestBody?.content['application/json'] ?? requestBody?.content['application/scim+json']) as { schema?: object };
export const takesJson = (operation: DescribedOperation): boolean => jsonBodyOf(operation) !== undefined;

const documents = new Map<ServiceName, object>();

/** A schema of a service's description, or the component that it references. */
export function resolveSchema<S extends { $ref?: string }>(service: ServiceName, schema: S): S {
  if (!schema.$ref) return schema;
  if (!documents.has(service)) documents.set(service, describedBy(service));
  const { components } = documents.get(service) as { components: { schemas: Record<string, S> } };
  return components.schemas[schema.$ref.split('/').at(-1)!]!;
}

const UNKNOWN_ID = 'ffffffffffffffffffffffff';

/** The path with an id that does not exist; metrics and dimensions have existing names. */
export const pathOf = ({ path }: DescribedOperation, id = UNKNOWN_ID): string =>
  path
    .replace('/components/{name}', '/components/unknown')
    .replace('{name}', 'dtplatform.filesvc.FileCount')
    .replace('{dimensions}', 'namespace=unknown')
    .replace(/\{\w+\}/g, id);

/** Values for all required query parameters, and for the one that selects the variant with a JSON body. */
export function requiredQuery(operation: DescribedOperation, namespace: string): Record<string, string> {
  const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const required = inQuery.filter(({ name, required }) => required || (name === 'uploadType' && takesJson(operation)));
  return Object.fromEntries(required.map(({ name }) => [name, VALUES[name] ?? namespace]));
}

const VALUES: Record<string, string> = {
  uploadType: 'resumable',
  checksum: 'none',
  patternmatch: 'false',
  '_resourceDesc._irn': 'filesvc:file:*',
  '_user._id': UNKNOWN_ID,
  '_user._type': 'user',
  query: '{}',
  _ids: UNKNOWN_ID,
  expires: '1',
};
