import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Of services, as far as they have them. */
const DESCRIPTIONS = ['openapi.json', 'asyncapi.json', 'reference'];

/** What an image needs of a workspace: its built program, which must exist, and its API descriptions. */
export const programFiles = (workspace, root = '.') => [
  join(workspace, 'dist'),
  ...DESCRIPTIONS.map((name) => join(workspace, name)).filter((part) => existsSync(join(root, part))),
];
