import { z } from 'zod';
import { User, UserProfile } from '../../domain/scim/user.js';
import { canonicalNames } from './canonical-names.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

const { shape } = User;
const Emails = shape.emails.unwrap();
const Email = Emails.element;
const Name = shape.name.unwrap();

/** Some identity providers send null for unknown attributes. */
const nullable = <S extends z.ZodType>(schema: S) => schema.nullable().transform((value) => value ?? undefined);

const UserFields = User.pick({ userName: true }).extend({
  schemas: z
    .array(z.string())
    .default([USER_SCHEMA])
    .refine(
      (schemas) => schemas.some((urn) => urn.toLowerCase() === USER_SCHEMA.toLowerCase()),
      `must hold ${USER_SCHEMA}`,
    ),
  emails: z
    .array(Email.extend({ type: nullable(Email.shape.type), display: nullable(Email.shape.display) }))
    .max(50)
    .optional(),
  displayName: nullable(shape.displayName),
  active: shape.active.default(true),
  name: z
    .object({
      formatted: nullable(Name.shape.formatted),
      givenName: nullable(Name.shape.givenName),
      familyName: nullable(Name.shape.familyName),
    })
    .optional(),
  locale: nullable(shape.locale),
  externalId: nullable(shape.externalId),
  password: z.string().min(1).max(1024).optional(),
});

const NAMES = [UserFields, Email, Name].flatMap((schema) => Object.keys(schema.shape));

/** A user to be created. Attribute names are case-insensitive (RFC 7643, section 2.1). */
export const CreateUserBody = z
  .record(z.string(), z.unknown())
  .transform((body) => canonicalNames(body, NAMES))
  .pipe(UserFields);

export const UserParams = z.object({ id: shape._id });

/** A user in SCIM (docs/contract.md, "SCIM user"). */
export const ShownUser = z.object({
  schemas: z.array(z.string()),
  id: shape._id,
  ...UserProfile.shape,
  meta: z.object({
    resourceType: z.literal('User'),
    created: z.string(),
    lastModified: z.string(),
    location: z.string(),
    version: z.string(),
  }),
});
export type ShownUser = z.infer<typeof ShownUser>;
