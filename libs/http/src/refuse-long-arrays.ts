import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';

/** The parts of schemas of any type. */
interface Definition {
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
  if (!hasArrays(schema)) return;
  const { innerType, in: input, element, shape } = definitionOf(schema);
  const wrapped = innerType ?? input;
  if (wrapped) refuseLongArrays(wrapped, value, where);
  else if (element && Array.isArray(value)) {
    const maximum = maximumOf(schema);
    if (value.length > maximum) throw tooLong(where, maximum);
    if (hasArrays(element)) value.forEach((entry, index) => refuseLongArrays(element, entry, `${where}.${index}`));
  } else if (shape && typeof value === 'object' && value !== null) {
    for (const key in shape) refuseLongArrays(shape[key]!, (value as Record<string, unknown>)[key], `${where}.${key}`);
  }
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;

/** How many entries an array may have. */
function maximumOf(schema: z.ZodType): number {
  const known = maxima.get(schema);
  if (known !== undefined) return known;
  const { maxItems = Infinity } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  maxima.set(schema, maxItems);
  return maxItems;
}
const maxima = new WeakMap<z.ZodType, number>();

/** Whether values of a schema can contain arrays. The entries of most long arrays cannot, so they are skipped. */
function hasArrays(schema: z.ZodType): boolean {
  const known = withArrays.get(schema);
  if (known !== undefined) return known;
  // For schemas that contain themselves.
  withArrays.set(schema, true);
  const { innerType, in: input, element, shape = {} } = definitionOf(schema);
  const parts = [innerType, input, ...Object.values(shape)].filter((part) => part !== undefined);
  const has = element !== undefined || parts.some(hasArrays);
  withArrays.set(schema, has);
  return has;
}
const withArrays = new WeakMap<z.ZodType, boolean>();

const tooLong = (location: string, maximum: number) =>
  commonErrors.badRequest({ details: [{ location, message: `must have at most ${maximum} items` }] });
