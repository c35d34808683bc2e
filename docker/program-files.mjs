import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Only services have them. */
const DESCRIPTIONS = ['openapi.json', 'asyncapi.json'];

/** What an image needs of a workspace: its built program, which must exist, and its API descriptions. */
export const programFiles = (workspace, root = '.') => [
  join(workspace, 'dist'),
  ...DESCRIPTIONS.map((name) => join(workspace, name)).filter((part) => existsSync(join(root, part))),
];
