import { existsSync } from 'node:fs';
import { join } from 'node:path';

const DESCRIPTIONS = ['openapi.json', 'asyncapi.json'];

/** The built program of a workspace, which must exist, and its API descriptions, which only services have. */
export const programFiles = (workspace, root = '.') => [
  join(workspace, 'dist'),
  ...DESCRIPTIONS.map((name) => join(workspace, name)).filter((part) => existsSync(join(root, part))),
];
