import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reference } from '../files.mjs';

/** The joined description of all services. */
export const document = JSON.parse(readFileSync(join(reference, 'openapi.json'), 'utf8'));

/** A schema without the reference to it, if it is one. */
export const schemaOf = (schema) =>
  schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : (schema ?? {});
