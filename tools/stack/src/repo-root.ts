import { fileURLToPath } from 'node:url';

/** The root of the clone; as far from `src` as from `dist`. */
export const repoRoot = fileURLToPath(new URL('../../../', import.meta.url));
