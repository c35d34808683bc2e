import { z } from 'zod';
import {
  COMMON_ATTRIBUTES,
  described,
  ENTERPRISE_ATTRIBUTES,
  ENTERPRISE_SCHEMA,
  partsOf,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from '../users/attributes.js';
import type { Attribute } from '../users/schema-types.js';
import { listFields, MAX_RESULTS } from '../users/user-bodies.http.js';

const withUrns = described(COMMON_ATTRIBUTES, { schemas: z.array(z.string()) });
const meta = described(COMMON_ATTRIBUTES, {
  meta: z.object(described(partsOf(COMMON_ATTRIBUTES, 'meta'), { resourceType: z.string(), location: z.string() })),
});

const supported = z.boolean().describe('Whether the server supports it.');
const Feature = z.object({ supported });

const AuthenticationScheme = z.object({
  type: z.string().describe('The kind of the scheme: `oauthbearertoken`.'),
  name: z.string().describe('The display name of the scheme.'),
  description: z.string().describe('What clients need to use it.'),
  specUri: z.string().describe('The URL of its specification.'),
  primary: z.boolean().describe('Whether it is the preferred scheme.'),
});

export const ServiceProviderConfig = z
  .object({
    ...withUrns,
    patch: Feature.describe('Changes to individual attributes.'),
    bulk: z
      .object({
        supported,
        maxOperations: z.int().describe('The maximum number of operations in a request.'),
        maxPayloadSize: z.int().describe('The maximum length of the body in bytes.'),
      })
      .describe('Bulk operations.'),
    filter: z
      .object({ supported, maxResults: z.int().describe('The maximum number of resources in a response.') })
      .describe('Filtering of lists.'),
    changePassword: Feature.describe('Password changes.'),
    sort: Feature.describe('Sorting of lists.'),
    etag: Feature.describe('Entity tags.'),
    authenticationSchemes: z.array(AuthenticationScheme).describe('How clients authenticate.'),
    ...meta,
  })
  .meta({ id: 'ScimServiceProviderConfig', description: 'What the SCIM endpoints support (RFC 7643, section 5).' });

export const ResourceType = z
  .object({
    ...withUrns,
    id: z.string().describe('The id of the resource type.'),
    name: z.string().describe('The name of the resource type.'),
    endpoint: z.string().describe('The path of the resources, relative to the SCIM endpoints.'),
    description: z.string().describe('A description of the resources.'),
    schema: z.string().describe('The URN of the schema of the resources.'),
    schemaExtensions: z
      .array(
        z.object({
          schema: z.string().describe('The URN of the extension.'),
          required: z.boolean().describe('Whether each resource has it.'),
        }),
      )
      .describe('The extensions of the schema.'),
    ...meta,
  })
  .meta({ id: 'ScimResourceType', description: 'A type of resource (RFC 7643, section 6).' });

const SubAttribute = z
  .object({
    name: z.string().describe('The name of the attribute.'),
    type: z
      .enum(['string', 'boolean', 'dateTime', 'reference', 'binary', 'complex'])
      .describe('The type of its values; `complex` if it has sub-attributes.'),
    multiValued: z.boolean().describe('Whether it has several values.'),
    description: z.string().describe('A description of the attribute.'),
    required: z.boolean().describe('Whether each resource has it.'),
    caseExact: z.boolean().describe('Whether letter case matters when values are compared.'),
    mutability: z.enum(['readWrite', 'readOnly', 'writeOnly']).describe('Whether clients may read and write it.'),
    returned: z.enum(['always', 'default', 'never']).describe('When responses include it.'),
    uniqueness: z.enum(['none', 'server', 'global']).describe('The resources among which its value is unique.'),
    canonicalValues: z.array(z.string()).optional().describe('The usual values.'),
    referenceTypes: z.array(z.string()).optional().describe('The types that its values refer to.'),
  })
  .meta({ id: 'ScimSubAttribute', description: 'A sub-attribute (RFC 7643, section 7).' });
const ShownAttribute = z
  .object({
    ...SubAttribute.shape,
    subAttributes: z.array(SubAttribute).optional().describe('The sub-attributes of a `complex` attribute.'),
  })
  .meta({ id: 'ScimAttribute', description: 'An attribute of a schema (RFC 7643, section 7).' });

export const Schema = z
  .object({
    ...withUrns,
    id: z.string().describe('The URN of the schema.'),
    name: z.string().describe('The display name of the schema.'),
    description: z.string().describe('What the schema describes.'),
    attributes: z.array(ShownAttribute).describe('The attributes of its resources.'),
    ...meta,
  })
  .meta({ id: 'ScimSchema', description: 'The attributes of a kind of resources (RFC 7643, section 7).' });

const listOf = (entry: z.ZodType, what: string) =>
  z.object({ ...listFields, Resources: z.array(entry).describe(`The ${what}.`) });

export const ResourceTypeList = listOf(ResourceType, 'resource types').meta({
  id: 'ScimResourceTypeList',
  description: 'All resource types.',
});
export const SchemaList = listOf(Schema, 'schemas').meta({ id: 'ScimSchemaList', description: 'All schemas.' });

export const DiscoveryQuery = z.object({
  filter: z.string().optional().describe('Rejected with a 403 (RFC 7644, section 4).'),
});
export const DiscoveryParams = z.object({
  id: z.string().max(200).describe('The id of the resource type or schema; case-insensitive.'),
});

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SERVICE_PROVIDER_CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';

export interface Discovered {
  schemas: string[];
  id?: string;
  [attribute: string]: unknown;
}

const metaOf = (resourceType: string, location: string) => ({ resourceType, location });

/** RFC 7643, section 5. @param root URL of the SCIM endpoints */
export const serviceProviderConfig = (root: string): Discovered => ({
  schemas: [SERVICE_PROVIDER_CONFIG],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: true },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description: 'An access token from the client credentials flow.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: metaOf('ServiceProviderConfig', `${root}/ServiceProviderConfig`),
});

/** RFC 7643, section 6. */
export const resourceTypes = (root: string): Discovered[] => [
  {
    schemas: [RESOURCE_TYPE],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'People who can sign in.',
    schema: USER_SCHEMA,
    schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
    meta: metaOf('ResourceType', `${root}/ResourceTypes/User`),
  },
];

/** RFC 7643, section 7. */
export const schemas = (root: string): Discovered[] => [
  schemaOf(root, USER_SCHEMA, 'User', 'A person who can sign in.', USER_ATTRIBUTES),
  schemaOf(
    root,
    ENTERPRISE_SCHEMA,
    'EnterpriseUser',
    'Attributes of a user in an organization.',
    ENTERPRISE_ATTRIBUTES,
  ),
];

const schemaOf = (
  root: string,
  id: string,
  name: string,
  description: string,
  attributes: readonly Attribute[],
): Discovered => ({
  schemas: [SCHEMA],
  id,
  name,
  description,
  attributes,
  meta: metaOf('Schema', `${root}/Schemas/${id}`),
});
