import { z } from 'zod';

/** A namespace: `<shortName>_<8 random characters>`. */
export const Namespace = z.string().min(1).max(128);

/** Id of a stored resource: 24 hexadecimal digits. */
export const ResourceId = z.string().regex(/^[0-9a-f]{24}$/);

/** When and by whom a resource was made and changed; timestamps in milliseconds since 1970. */
export const Metadata = z.object({
  _createdAt: z.number(),
  _updatedAt: z.number(),
  _createdById: z.string(),
  _updatedById: z.string(),
  _createdByName: z.string(),
  _updatedByName: z.string(),
});
export type Metadata = z.infer<typeof Metadata>;
