import type { Client } from './client.js';
import type { EntryOf, Input, InputArguments, ListOperation } from './types.js';

interface Page {
  _offset: number;
  _total: number;
  _list: unknown[];
}

/**
 * All entries of a list, page by page: `for await (const file of paginate(client, 'filesvc.files.list'))`. Entries
 * created or deleted during the iteration may be missing or appear twice.
 */
export async function* paginate<O extends ListOperation>(
  client: Client,
  operation: O,
  ...[input]: InputArguments<O>
): AsyncGenerator<EntryOf<O>, void, undefined> {
  const { query, ...rest } = (input ?? {}) as { query?: { _offset?: number } };
  for (let offset = query?._offset ?? 0; ;) {
    const next = { ...rest, query: { ...query, _offset: offset } } as unknown as Input<O>;
    const page = (await client.call(operation, ...([next] as unknown as InputArguments<O>))) as Page;
    yield* page._list as EntryOf<O>[];
    offset += page._list.length;
    if (page._list.length === 0 || offset >= page._total) return;
  }
}
