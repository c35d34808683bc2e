import { fileURLToPath } from 'node:url';

/** The same relative path from `src` and from `dist`. */
export const repoRoot = fileURLToPath(new URL('../../../', import.meta.url));
