import {
  ENTERPRISE_ATTRIBUTES,
  ENTERPRISE_SCHEMA,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from '../../domain/scim/attributes.js';
import type { Attribute } from '../../domain/scim/schema-types.js';
import { MAX_RESULTS } from './users.schemas.js';

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SERVICE_PROVIDER_CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';

export interface Discovered {
  schemas: string[];
  id?: string;
  [attribute: string]: unknown;
}

const metaOf = (resourceType: string, location: string) => ({ resourceType, location });

/** What the server supports (RFC 7643, section 5). @param root URL of the SCIM endpoints */
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

/** The resource types (RFC 7643, section 6). */
export const resourceTypes = (root: string): Discovered[] => [
  {
    schemas: [RESOURCE_TYPE],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'People who may sign in.',
    schema: USER_SCHEMA,
    schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
    meta: metaOf('ResourceType', `${root}/ResourceTypes/User`),
  },
];

/** The schemas (RFC 7643, section 7). */
export const schemas = (root: string): Discovered[] => [
  schemaOf(root, USER_SCHEMA, 'User', 'A person who may sign in.', USER_ATTRIBUTES),
  schemaOf(root, ENTERPRISE_SCHEMA, 'EnterpriseUser', 'What an organization knows of a user.', ENTERPRISE_ATTRIBUTES),
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
