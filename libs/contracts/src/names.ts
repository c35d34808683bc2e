import { z } from 'zod';

/** Text without NUL, which MongoDB's regular expressions and many programs cannot handle. */
export const Text = z.string().refine((text) => !text.includes('\0'), 'must not contain the character NUL');

/**
 * Text without control characters and unpaired surrogates. The pattern appears in API descriptions, whose tools support
 * neither `\p{Cc}` nor patterns that name surrogates.
 */
export const printable = (message: string) =>
  z
    .string()
    .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, message)
    .refine((text) => text.isWellFormed(), message);

/** Text that can be part of a URL or a key. */
export const Identifier = printable('must not contain control characters');

/** A namespace: `<shortName>_<8 random characters>`. */
export const Namespace = Identifier.min(1).max(128).describe('A namespace.');

/** Maximum number of distinct namespaces in one request: services look up the caller's permissions in each. */
export const MAX_NAMESPACES = 100;

/** Maximum number of namespaces over all entries of one request: usage is stored per entry and namespace. */
const MAX_NAMESPACES_IN_ALL = 5000;

/**
 * Rejects a body whose entries name too many namespaces in total: `body.refine(...fewNamespaces(…))`. Not a
 * `superRefine`: its first run adds a field to an object that all schemas of the process share, and parsing then takes
 * half as long again.
 */
export function fewNamespaces<T>(namespacesOf: (entry: T) => readonly string[]) {
  const problemOf = (entries: readonly T[]): string | undefined => {
    const named = entries.flatMap(namespacesOf);
    if (named.length > MAX_NAMESPACES_IN_ALL) return `must name at most ${MAX_NAMESPACES_IN_ALL} namespaces in total`;
    return new Set(named).size > MAX_NAMESPACES
      ? `must name at most ${MAX_NAMESPACES} different namespaces`
      : undefined;
  };
  return [
    (entries: readonly T[]) => problemOf(entries) === undefined,
    { error: ({ input }: { input?: unknown }) => problemOf(input as readonly T[]) },
  ] as const;
}

/** The id of a stored resource: 24 hexadecimal digits. */
export const ResourceId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'is not an id: an id has 24 hexadecimal digits, in lower case')
  .describe('The id of the resource: 24 hexadecimal digits.');

/** When and by whom a resource was created and last changed; in milliseconds since 1970. */
export const Metadata = z
  .object({
    _createdAt: z.number().describe('When it was created, in milliseconds since 1970.'),
    _updatedAt: z.number().describe('When it was last changed, in milliseconds since 1970.'),
    _createdById: z.string().describe('The id of the user or app that created it.'),
    _updatedById: z.string().describe('The id of the user or app that last changed it.'),
    _createdByName: z.string().describe('The name of the user or app that created it.'),
    _updatedByName: z.string().describe('The name of the user or app that last changed it.'),
  })
  .meta({ id: 'Metadata', description: 'When a resource was created and last changed, and by whom.' });
export type Metadata = z.infer<typeof Metadata>;

/** Whether any key, at any depth, contains characters that a query path cannot. */
export const hasPathCharacters = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, inside]) => key.startsWith('$') || key.includes('.') || hasPathCharacters(inside));

export const PATH_CHARACTERS = 'must not have keys that contain a dot or start with $';

/** Attributes from callers. Names that queries cannot address are rejected. */
export const Attributes = z
  .record(z.string(), z.unknown())
  .refine((attributes) => !hasPathCharacters(attributes), { message: PATH_CHARACTERS });
