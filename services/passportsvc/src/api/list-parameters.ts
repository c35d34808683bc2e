import { z } from 'zod';
import { Text } from '@dtplatform/contracts';

/** A parameter that may be repeated to pass several values. */
export const repeated = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .pipe(z.array(z.string()).max(100));

/** A glob, or text that is to be found. */
export const glob = Text.max(256);
