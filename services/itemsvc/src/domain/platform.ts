import type { z } from 'zod';

/** Beside free-form fields, what the platform stores for itself is under this name, which callers' fields cannot have. */
export const PLATFORM = '_platform';

/** The same schema, which also refuses the reserved name. */
export const withoutPlatform = <S extends z.ZodType<Record<string, unknown>>>(schema: S): S =>
  schema.refine((fields) => !Object.hasOwn(fields, PLATFORM), { path: [PLATFORM], message: 'is a reserved name' });
