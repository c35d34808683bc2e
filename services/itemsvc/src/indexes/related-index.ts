import { z } from 'zod';
import { errors } from '../errors.js';
import { checkPath } from '../query/paths.js';

/** Per collection. */
export const MAX_INDEXES = 10;
const MAX_TEXT_FIELDS = 10;

const Kind = z.union([z.literal(1), z.literal(-1), z.literal('text')]);
const Key = z
  .record(z.string(), Kind)
  .describe(
    `One field with 1 or -1 for values in ascending or descending order, or up to ${MAX_TEXT_FIELDS} fields with \`text\`.`,
  );

/** Indexed fields in MongoDB's notation. */
export const NewIndex = z
  .object({
    key: Key,
    options: z
      .object({
        name: z
          .string()
          .min(1)
          .max(128)
          .optional()
          .describe('A name that no other index of the collection has; such as `<field>_1` by default.'),
      })
      .optional()
      .describe('The options of the index.'),
  })
  .superRefine(({ key }, context) => {
    const kinds = Object.values(key);
    const isOneField = kinds.length === 1;
    const isText = kinds.length > 0 && kinds.length <= MAX_TEXT_FIELDS && kinds.every((kind) => kind === 'text');
    if (!isOneField && !isText) {
      const message = `must be one field, or up to ${MAX_TEXT_FIELDS} fields that are all "text"`;
      context.addIssue({ code: 'custom', path: ['key'], message });
    }
  })
  .transform(({ key, options }) => {
    const fields = Object.entries(key).map(([path, kind]) => ({ path: checkPath(path, errors.invalidIndex), kind }));
    return { name: options?.name ?? fields.map(({ path, kind }) => `${path}_${kind}`).join('_'), fields };
  })
  .meta({ id: 'NewIndex', description: 'An index to create, in the words of MongoDB.' });
export type NewIndex = z.infer<typeof NewIndex>;

/** An index on fields of a collection's related items. Queries use it once it is READY. */
export const RelatedIndex = z.object({
  _id: z.string(),
  _itemId: z.string(),
  name: z.string(),
  fields: z.array(z.object({ path: z.string(), kind: Kind })),
  status: z.enum(['BUILDING', 'READY']),
  /** The physical index that backs it; absent for text indexes. */
  slot: z.number().optional(),
  /** Whether some value could not be indexed, such as an array. */
  isMixed: z.boolean(),
});
export type RelatedIndex = z.infer<typeof RelatedIndex>;

export const ShownIndex = z
  .object({
    key: Key,
    options: z.object({ name: z.string().describe('The name of the index.') }).describe('The options of the index.'),
    _status: RelatedIndex.shape.status.describe('`READY` once the index serves queries.'),
  })
  .meta({ id: 'Index', description: 'An index on fields of the items in a collection, in all its versions.' });

export const showIndex = ({ name, fields, status }: RelatedIndex): z.infer<typeof ShownIndex> => ({
  key: Object.fromEntries(fields.map(({ path, kind }) => [path, kind])),
  options: { name },
  _status: status,
});

export const isText = ({ fields }: Pick<RelatedIndex, 'fields'>): boolean => fields[0]!.kind === 'text';

export const isSameIndex = (one: Pick<RelatedIndex, 'fields'>, other: Pick<RelatedIndex, 'fields'>): boolean =>
  JSON.stringify(one.fields) === JSON.stringify(other.fields);
