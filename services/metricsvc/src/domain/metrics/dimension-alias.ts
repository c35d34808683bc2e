import { z } from 'zod';

/** A stored second name of a dimension's value. `_id` is `<namespace>/<dimension>/<value>…` and ends with that name. */
export const DimensionAlias = z.object({ _id: z.string(), value: z.string() });
export type DimensionAlias = z.infer<typeof DimensionAlias>;
