import { useCall, useParameter } from '../frame';
import type { Row } from './model';

const PAGE_SIZE = 100;
/** More columns would slow down the table; the user can choose others. */
const MAX_COLUMNS = 20;
const OWN = ['_id', '_metadata'];

export interface Place {
  path: { id: string };
  query: { userItemVersionId?: string };
}

const namesIn = (rows: Row[] = []) => rows.flatMap((row) => Object.keys(row));

/** The fields of the items of a collection, from the first page, and those that the user wants to see. */
export function useFields(place: Place) {
  const [wanted, setWanted] = useParameter('columns');
  const page = { ...place, query: { ...place.query, _offset: 0, _pageSize: PAGE_SIZE } };
  const first = useCall('itemsvc.relatedItems.list', page);
  const fields = [...new Set(namesIn(first.data?._list))].filter((name) => !OWN.includes(name));
  const chosen = parse(wanted) ?? fields.slice(0, MAX_COLUMNS);
  const choose = (names: string[]) => setWanted(names.length === 0 ? '' : JSON.stringify(names));
  return { fields: [...new Set([...fields, ...chosen])], chosen, choose };
}

/** The names that the address holds; undefined if it holds none. */
function parse(wanted: string): string[] | undefined {
  try {
    const names: unknown = JSON.parse(wanted);
    return Array.isArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}
