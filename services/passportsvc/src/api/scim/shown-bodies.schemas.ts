import { z } from 'zod';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../../domain/scim/attributes.js';
import { SentUser } from '../../domain/scim/user.js';
import { ListQuery, PATCH_SCHEMA, SEARCH_SCHEMA } from './users.schemas.js';

const schemas = (urn: string) =>
  z
    .array(z.string())
    .max(20)
    .default([urn])
    .describe(`The URNs of the schemas that the body follows, among them \`${urn}\`.`);

const { enterprise, ...core } = SentUser.shape;

/** A user as it is sent, for the reference. The body itself may have its names in any letter case. */
export const SentUserShown = z
  .object({ ...core, [ENTERPRISE_SCHEMA]: enterprise, schemas: schemas(USER_SCHEMA) })
  .meta({
    id: 'ScimUserInput',
    description:
      'A user to store, of at most 256 KiB. Attribute names are read in any letter case, unknown ones are ignored, ' +
      'and null counts as absent.',
  });

const Operation = z
  .object({
    op: z
      .enum(['add', 'replace', 'remove', 'Add', 'Replace', 'Remove'])
      .describe('What to do; read in any letter case.'),
    path: z
      .string()
      .max(2048)
      .optional()
      .describe(
        'The attribute, or values of one: `name.givenName`, `emails[type eq "work"].value`. Without it, `value` has attributes of the user.',
      ),
    value: z
      .unknown()
      .optional()
      .describe('The new value, or the value to add. A removal needs none; with one, only such values are removed.'),
  })
  .meta({ id: 'ScimPatchOperation', description: 'A change of one attribute (RFC 7644, section 3.5.2).' });

export const PatchShown = z
  .object({
    schemas: schemas(PATCH_SCHEMA),
    Operations: z.array(Operation).min(1).max(100).describe('The changes, in their order; all or none of them happen.'),
  })
  .meta({ id: 'ScimPatch', description: 'Changes of single attributes of a user.' });

export const SearchShown = ListQuery.safeExtend({ schemas: schemas(SEARCH_SCHEMA) }).meta({
  id: 'ScimSearchRequest',
  description: 'The parameters of a list call (RFC 7644, section 3.4.3).',
});
