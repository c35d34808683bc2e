import { header } from '@dtplatform/http';
import { z } from 'zod';
import { COMMON_ATTRIBUTES, ENTERPRISE_SCHEMA } from '../../domain/scim/attributes.js';
import { described, partsOf } from '../../domain/scim/described.js';
import { User, UserProfile } from '../../domain/scim/user.js';

const { enterprise, ...core } = UserProfile.shape;

const Meta = z.object(
  described(partsOf(COMMON_ATTRIBUTES, 'meta'), {
    resourceType: z.literal('User'),
    created: z.string(),
    lastModified: z.string(),
    location: z.string(),
    version: z.string(),
  }),
);

/** A user in SCIM (docs/contract.md, "SCIM user"), with the attributes that were asked for. */
export const ShownUser = z
  .object({ ...core, [ENTERPRISE_SCHEMA]: enterprise, ...described(COMMON_ATTRIBUTES, { meta: Meta }) })
  .partial()
  .extend({ ...described(COMMON_ATTRIBUTES, { schemas: z.array(z.string()) }), id: User.shape._id })
  .meta({ id: 'ScimUser', description: 'A user, with the attributes that were asked for (RFC 7643, section 4.1).' });
export type ShownUser = z.infer<typeof ShownUser>;

/** Of a reply with one user. */
export const userHeaders = [
  header('ETag', 'The revision of the user, for `If-Match`; the same as `meta.version`.'),
  header('Location', 'The URL of the user.'),
];

/** What precedes the resources of a list. */
export const listFields = {
  ...described(COMMON_ATTRIBUTES, { schemas: z.array(z.string()) }),
  totalResults: z.int().describe('How many resources match in all.'),
  startIndex: z.int().describe('The position of the first resource of this page among all that match, from 1.'),
  itemsPerPage: z.int().describe('How many resources this page has.'),
};

export const ShownList = z
  .object({
    ...listFields,
    Resources: z.array(ShownUser).describe('The users of this page.'),
    resources: z.array(ShownUser).describe('The same users, under the name that earlier clients read.'),
  })
  .meta({ id: 'ScimUserList', description: 'A page of users (RFC 7644, section 3.4.2).' });
