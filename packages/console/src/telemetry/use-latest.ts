import type { EntryOf, Output } from '@dtplatform/sdk';
import { useQuery } from '@tanstack/react-query';
import { client, useNamespace } from '../frame';

export type Reading = EntryOf<'itemsvc.readings.list'>;
/** The latest reading of each source, by the id of its telemetry item. */
export type Latest = Map<string, Reading>;

const OPERATION = 'itemsvc.readings.list';
/** Readings of up to 64 KiB in a page of up to 16 MiB. */
const PAGE_SIZE = 240;
const AT_ONCE = 6;
const REFRESH_MS = 60_000;

/** The latest readings: the newest page has those of active sources; the others are asked for one by one. */
export function useLatest(collection: string, ids: string[]) {
  const namespace = useNamespace()!;
  const path = { id: collection };
  const input = { path, query: { sort: { _ts: -1 }, _pageSize: PAGE_SIZE } };
  const list = (query: object, signal: AbortSignal): Promise<Output<typeof OPERATION>> =>
    client.in(namespace).call(OPERATION, { path, query, signal });
  return useQuery({
    queryKey: [namespace, OPERATION, input, ids.join()],
    enabled: ids.length > 0,
    // At most one call a second, however many sources are silent.
    refetchInterval: Math.max(REFRESH_MS, ids.length * 1000),
    staleTime: REFRESH_MS,
    queryFn: async ({ signal }): Promise<Latest> => {
      const { _list } = await list(input.query, signal);
      const latest: Latest = new Map(_list.toReversed().map((reading) => [idOf(reading), reading]));
      // The oldest of a whole page: what is missing has sent nothing since.
      const missing = _list.length < PAGE_SIZE ? [] : ids.filter((id) => !latest.has(id));
      const ask = async () => {
        for (let id = missing.pop(); id !== undefined; id = missing.pop()) {
          const query = { query: { '_tsMetadata._telItemId': id }, sort: { _ts: -1 }, _pageSize: 1 };
          const [reading] = (await list(query, signal))._list;
          if (reading) latest.set(id, reading);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
      return latest;
    },
  });
}

const idOf = ({ _tsMetadata }: Reading) => _tsMetadata?._telItemId ?? '';

/** The values of a reading that are numbers, by name. */
export const numbersIn = (reading: Reading): [name: string, value: number][] =>
  Object.entries(reading)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .toSorted(([one], [other]) => one.localeCompare(other));

/** The names of all numbers, the most frequent first. */
export function fieldsIn(latest: Latest = new Map()): string[] {
  const counts = new Map<string, number>();
  for (const reading of latest.values())
    for (const [name] of numbersIn(reading)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
}
