import { z } from 'zod';

/** A namespace: `<shortName>_<8 random characters>`. */
export const Namespace = z.string().min(1).max(128);

/** How many distinct namespaces one request may name: services ask for the caller's permissions in each of them. */
export const MAX_NAMESPACES = 100;

/** How many namespaces the entries of one request may name in all: usage is stored for each of them. */
const MAX_NAMESPACES_IN_ALL = 5000;

/** Refuses a body whose entries together name too many namespaces: `body.superRefine(fewNamespaces(…))`. */
export const fewNamespaces =
  <T>(namespacesOf: (entry: T) => readonly string[]) =>
  (entries: readonly T[], context: z.RefinementCtx): void => {
    const named = entries.flatMap(namespacesOf);
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (named.length > MAX_NAMESPACES_IN_ALL) refuse(`must name at most ${MAX_NAMESPACES_IN_ALL} namespaces in all`);
    else if (new Set(named).size > MAX_NAMESPACES) refuse(`must name at most ${MAX_NAMESPACES} different namespaces`);
  };

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
