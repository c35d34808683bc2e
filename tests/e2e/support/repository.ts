import { fileURLToPath } from 'node:url';

/** A file of this repository, by its path from the root. */
export const repositoryFile = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
