import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reference } from '../files.mjs';

/** The joined description of all services. */
export const document = JSON.parse(readFileSync(join(reference, 'openapi.json'), 'utf8'));
