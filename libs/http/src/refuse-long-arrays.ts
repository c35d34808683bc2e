import type { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';

/** What zod keeps of a schema. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
}

/**
 * Refuses arrays that are longer than their schema permits, before their entries are validated: zod checks the length last,
 * and by then it has described what is wrong with each of millions of entries.
 * @throws 400 that names the array
 */
export function refuseLongArrays(schema: z.ZodType, value: unknown, where = 'body'): void {
  const { innerType, in: input, element, shape } = schema._zod.def as unknown as Definition;
  const wrapped = innerType ?? input;
  if (wrapped) refuseLongArrays(wrapped, value, where);
  else if (element && Array.isArray(value)) {
    const { maximum = Infinity } = schema._zod.bag as { maximum?: number };
    if (value.length > maximum) throw tooLong(where, maximum);
    value.forEach((entry, index) => refuseLongArrays(element, entry, `${where}.${index}`));
  } else if (shape && typeof value === 'object' && value !== null) {
    for (const key in shape) refuseLongArrays(shape[key]!, (value as Record<string, unknown>)[key], `${where}.${key}`);
  }
}

const tooLong = (location: string, maximum: number) =>
  commonErrors.badRequest({ details: [{ location, message: `must have at most ${maximum} items` }] });
