import { z } from 'zod';
import { canonicalNames } from './canonical-names.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

const text = z.string().max(512);
// Some identity providers send null for what they do not know.
const optionalText = text.nullish().transform((value) => value ?? undefined);

const Email = z.object({
  value: z.string().min(1).max(320),
  type: optionalText,
  primary: z.boolean().optional(),
  display: optionalText,
});

const UserFields = z.object({
  schemas: z
    .array(z.string())
    .default([USER_SCHEMA])
    .refine(
      (schemas) => schemas.some((urn) => urn.toLowerCase() === USER_SCHEMA.toLowerCase()),
      `must hold ${USER_SCHEMA}`,
    ),
  userName: z
    .string()
    .max(320)
    .refine((name) => name.trim() !== '' && !name.includes('\0'), 'must not be empty'),
  emails: z.array(Email).max(50).optional(),
  displayName: optionalText,
  active: z.boolean().default(true),
  name: z.object({ formatted: optionalText, givenName: optionalText, familyName: optionalText }).optional(),
  locale: optionalText,
  externalId: optionalText,
  password: z.string().min(1).max(1024).optional(),
});

const NAMES = [
  ...Object.keys(UserFields.shape),
  ...['value', 'type', 'primary', 'display', 'formatted', 'givenName', 'familyName'],
];

/** A user to be created. Names of attributes are read without regard to case (RFC 7643, section 2.1). */
export const CreateUserBody = z
  .record(z.string(), z.unknown())
  .transform((body) => canonicalNames(body, NAMES))
  .pipe(UserFields);
export type CreateUserBody = z.infer<typeof CreateUserBody>;

export const UserParams = z.object({ id: z.string().max(64) });
export type UserParams = z.infer<typeof UserParams>;

/** A user as SCIM shows it (contract: SCIM user). */
export const UserReply = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  userName: z.string(),
  name: z.object({ formatted: text.optional(), givenName: text.optional(), familyName: text.optional() }).optional(),
  displayName: z.string().optional(),
  emails: z
    .array(
      z.object({
        value: z.string(),
        type: z.string().optional(),
        primary: z.boolean().optional(),
        display: z.string().optional(),
      }),
    )
    .optional(),
  locale: z.string().optional(),
  active: z.boolean(),
  meta: z.object({
    resourceType: z.literal('User'),
    created: z.string(),
    lastModified: z.string(),
    location: z.string(),
    version: z.string(),
  }),
});
