import DataLoader from 'dataloader';
import type { Model } from './model.js';
import { decoded, IF_SMALL, isLeftOut, largePage, readResponse } from './one-page.js';

/** Larger batches are no cheaper per document, and delay the first caller. */
const MAX_BATCH = 32;

const LARGE = Symbol('large');

/**
 * Finds documents by a unique field. Calls in one turn of the event loop share a query, across requests. Large
 * documents are read one by one and count as their request's memory.
 */
export function keyLoader<D extends object>(
  { collection }: Model<D>,
  key: string & keyof D,
): (value: string) => Promise<D | undefined> {
  const find = async (values: readonly string[]) => {
    const { documents } = await readResponse(collection, [{ $match: { [key]: { $in: values } } }, IF_SMALL]);
    const small = decoded<D>(documents.filter((document) => !isLeftOut(document)));
    const found = new Map(small.map((document) => [document[key] as string, document]));
    const other = small.length < documents.length ? LARGE : undefined;
    return values.map((value) => found.get(value) ?? other);
  };
  const loader = new DataLoader<string, D | typeof LARGE | undefined>(find, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: (run) => void setImmediate(run),
  });

  return async (value) => {
    const found = await loader.load(value);
    return found === LARGE ? decoded<D>(await largePage(collection, [{ $match: { [key]: value } }]))[0] : found;
  };
}
