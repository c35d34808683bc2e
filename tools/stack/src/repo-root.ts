import { fileURLToPath } from 'node:url';

/** The root of the clone; the relative path is the same from `src` and from `dist`. */
export const repoRoot = fileURLToPath(new URL('../../../', import.meta.url));
