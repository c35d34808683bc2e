import { useQueries } from '@tanstack/react-query';
import type { EntryOf, Input, ListOperation } from '@dtplatform/sdk';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { callOptions, useNamespace } from '../calls';

export interface Column<Row> {
  title: string;
  /** What the column shows: a value, or a time in milliseconds. */
  value?: (row: Row) => ReactNode;
  time?: (row: Row) => number | string | undefined;
  /** The page of the workspace to which the value leads. */
  to?: (row: Row) => string;
  /** By what short lists are sorted and searched on the page. Defaults to the value, if it is a text or a number. */
  key?: (row: Row) => string | number;
  /** The field by which the platform sorts; needed for lists of more than one page. */
  field?: string;
}

export interface TableProps<O extends ListOperation> {
  operation: O;
  /** The input of the operation without its page. */
  input?: Input<O> | object;
  /** Names the table for screen readers. */
  label: string;
  columns: Column<EntryOf<O>>[];
  idOf: (row: EntryOf<O>) => string;
  /** Names the row for screen readers. Defaults to the id. */
  nameOf?: (row: EntryOf<O>) => string;
  /** The parameters by which the platform searches. Without them only short lists can be searched. */
  search?: (text: string) => object;
  /** The parameters by which the platform sorts. */
  sort?: (field: string, isDescending: boolean) => object;
  /** Entries per call; fewer for large ones. */
  pageSize?: number;
  /** Shown if there is nothing at all. */
  empty: ReactNode;
  /** Buttons beside the search. */
  actions?: ReactNode;
  /** Actions on the rows that the user has selected. */
  bulk?: (rows: EntryOf<O>[], clear: () => void) => ReactNode;
}

const PAGE_SIZE = 100;
const collator = new Intl.Collator(undefined, { numeric: true });

/** The rows of the pages in view. Lists of one page are searched and sorted here, longer ones by the platform. */
export function useRows<O extends ListOperation>(props: TableProps<O>, search: string, order: string) {
  type Row = EntryOf<O>;
  interface Page {
    _list: Row[];
    _total?: number;
  }
  const { operation, input = {}, columns, pageSize = PAGE_SIZE } = props;
  const namespace = useNamespace();
  const [pages, setPages] = useState([0]);
  const field = order.replace(/^-/, '');
  const isDescending = order.startsWith('-');
  const isServerSort = props.sort !== undefined && columns.some((column) => column.field === field);
  const query = {
    ...(input as { query?: object }).query,
    ...(search !== '' && props.search?.(search)),
    ...(isServerSort && props.sort!(field, isDescending)),
  };
  const results = useQueries({
    queries: pages.map((page) => ({
      ...callOptions(namespace, operation, {
        ...input,
        query: { ...query, _offset: page * pageSize, _pageSize: pageSize },
      }),
    })),
  });
  const loaded = new Map(pages.map((page, index) => [page, results[index]!.data as Page | undefined]));
  const first = results[pages.indexOf(0)] ?? results[0]!;
  const failed = results.find(({ error }) => error !== null);
  const current = first.data as Page | undefined;
  // What was found before stays until the next answer, so that the search keeps its focus.
  const previous = useRef<Page>(undefined);
  useEffect(() => {
    if (current) previous.current = current;
  });
  const shown = current ?? previous.current;
  const { _total, _list } = shown ?? { _list: [] };
  const count = _total ?? _list.length;
  const isComplete = count <= pageSize;
  const onPage = isComplete ? arrange(_list, props, search, isServerSort ? '' : order) : undefined;

  function showRows(indexes: number[]): void {
    const wanted = [...new Set([0, ...indexes.map((index) => Math.floor(index / pageSize))])];
    if (wanted.join() !== pages.join()) queueMicrotask(() => setPages(wanted));
  }
  const rowAt = (index: number): Row | undefined =>
    onPage ? onPage[index] : loaded.get(Math.floor(index / pageSize))?._list[index % pageSize];
  return { rowAt, total: onPage?.length ?? count, isComplete, isLoading: shown === undefined, first, failed, showRows };
}

/** Searches and sorts a list that the page holds completely. */
function arrange<O extends ListOperation>(
  rows: EntryOf<O>[],
  { columns, search: isSearchedAlready }: Pick<TableProps<O>, 'columns' | 'search'>,
  search: string,
  order: string,
): EntryOf<O>[] {
  const textOf = ({ key, time, value }: Column<EntryOf<O>>, row: EntryOf<O>) => {
    const shown = (key ?? time ?? value)?.(row);
    return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : '';
  };
  const wanted = search.toLocaleLowerCase();
  const found = isSearchedAlready
    ? rows
    : rows.filter((row) => columns.some((column) => textOf(column, row).toLocaleLowerCase().includes(wanted)));
  const column = columns.find(({ title }) => title === order.replace(/^-/, ''));
  if (!column) return found;
  const sign = order.startsWith('-') ? -1 : 1;
  return found.toSorted((one, other) => sign * collator.compare(textOf(column, one), textOf(column, other)));
}
