import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { Sealed } from '../../oauth/keys/sealer.js';

const isPlainUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
};

const HttpUrl = z.string().max(2048).refine(isPlainUrl, 'must be a URL that starts with https://, without credentials');

/** A registered SCIM server (docs/contract.md, "SCIM registration"). */
export const ScimServer = z.object({
  _id: ResourceId.describe('The id of the SCIM server: 24 hexadecimal digits.'),
  baseUrl: HttpUrl.refine((text) => !/[?#]/.test(text), 'must not have a query or a fragment').describe(
    'The URL of the users on the server, such as `https://scim.example.com/v2/Users`.',
  ),
  tokenUrl: HttpUrl.refine((text) => !text.includes('#'), 'must not have a fragment').describe(
    'The URL at which the platform requests a token for the server, with client credentials.',
  ),
  clientId: z.string().min(1).max(256).optional().describe('The client id with which the platform requests the token.'),
  clientSecret: Sealed.optional(),
  createdAt: z.number(),
  createdById: z.string(),
  /** Set on deletion; the record disappears after its data. */
  deletedAt: z.number().optional(),
  _revision: z.number().int().min(0),
});
export type ScimServer = z.infer<typeof ScimServer>;

export const ShownScimServer = ScimServer.pick({ baseUrl: true, tokenUrl: true, clientId: true })
  .extend({ id: ScimServer.shape._id })
  .meta({ id: 'ScimServer', description: 'A SCIM server to which user events are delivered.' });

/** Omits the secret. */
export const showScimServer = ({ _id, baseUrl, tokenUrl, clientId }: ScimServer): z.infer<typeof ShownScimServer> => ({
  id: _id,
  baseUrl,
  tokenUrl,
  clientId,
});
