import { z } from 'zod';
import { Text } from '@dtplatform/contracts';

/** A parameter that may be repeated to pass several values. */
export const repeated = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .pipe(z.array(z.string()).max(100));

/** Values of a field, one of which it must have. */
export const oneOf = (field: string) =>
  repeated
    .optional()
    .describe(`Only those with this ${field}. Repeat the parameter for several values; a comma is part of a value.`);

/** A glob, or text that is to be found. */
export const textQuery = (fields: string) =>
  Text.max(256)
    .optional()
    .describe(
      `Only those in whose ${fields} this text occurs, in any letter case. With \`*\`, a pattern for the whole text.`,
    );
