import { Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { EntryOf, ListOperation } from '@dtplatform/sdk';
import { useState } from 'react';
import { Input } from './inputs';
import { useParameter } from '../address';
import { useText } from '../messages/text';
import { Empty, Failure, Pending } from './states';
import { Space, TableHead, TableRow } from './table-rows';
import { useRows } from './use-rows';
import { useVirtualRows } from './use-virtual-rows';
import type { TableProps } from './use-rows';

export type { Column } from './use-rows';

const SEARCH_DELAY_MS = 200;

/** The table of every list: search, sort, rows loaded as they scroll into view, selection and states. */
export function ResourceTable<O extends ListOperation>(props: TableProps<O>) {
  // Another list has no rows or selection of the last one.
  return <List key={JSON.stringify([props.operation, props.input])} {...props} />;
}

function List<O extends ListOperation>(props: TableProps<O>) {
  const [typed, setTyped] = useParameter('q');
  const [search] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  const [order, setOrder] = useParameter('order');
  const rows = useRows(props, search, order);
  const { first, failed, total, isComplete } = rows;
  const { text } = useText();
  const [selected, setSelected] = useState<ReadonlyMap<string, EntryOf<O>>>(new Map());
  if (rows.isLoading) return <Pending of={[first]} />;
  if (total === 0 && typed === '') return <Empty action={props.actions}>{props.empty}</Empty>;
  const canSearch = props.search !== undefined || isComplete;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        {canSearch && <Search value={typed} onChange={setTyped} />}
        <Group gap="xs">
          {selected.size > 0 && props.bulk?.([...selected.values()], () => setSelected(new Map()))}
          {props.actions}
        </Group>
      </Group>
      <Rows {...{ table: props, rows, order, setOrder, selected, setSelected }} />
      {failed?.error && <Failure error={failed.error} retry={() => void failed.refetch()} />}
      <Text size="sm" c="dimmed" role="status">
        {total === 0 ? text('list.noMatch') : text('list.count', { count: total })}
      </Text>
    </Stack>
  );
}

function Search({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  const { text } = useText();
  return (
    <Input
      type="search"
      className="search"
      aria-label={text('list.search')}
      placeholder={text('list.search')}
      value={value}
      onChange={onChange}
    />
  );
}

interface RowsProps<O extends ListOperation> {
  table: TableProps<O>;
  rows: ReturnType<typeof useRows<O>>;
  order: string;
  setOrder: (order: string) => void;
  selected: ReadonlyMap<string, EntryOf<O>>;
  setSelected: (selected: ReadonlyMap<string, EntryOf<O>>) => void;
}

/** Only the rows in view are in the document. */
function Rows<O extends ListOperation>({ table, rows, order, setOrder, selected, setSelected }: RowsProps<O>) {
  const { rowAt, total, isComplete, showRows } = rows;
  const { region, visible, above, below } = useVirtualRows(total);
  showRows(visible);
  const toggle = (row: EntryOf<O>) => {
    const next = new Map(selected);
    if (!next.delete(table.idOf(row))) next.set(table.idOf(row), row);
    setSelected(next);
  };
  const reorder = (next: string) => {
    setOrder(next);
    region.current?.scrollTo({ top: 0 });
  };
  return (
    <div ref={region} className="rows" role="region" tabIndex={0} aria-label={table.label}>
      <table aria-label={table.label} aria-rowcount={total + 1}>
        <TableHead table={table} isComplete={isComplete} sample={rowAt(0)} order={order} onOrder={reorder} />
        <tbody>
          <Space height={above} />
          {visible.map((index) => {
            const row = rowAt(index);
            const isSelected = row !== undefined && selected.has(table.idOf(row));
            // By its id: a dialog that is open in a row must not turn to another one when rows move.
            const key = row ? table.idOf(row) : index;
            return <TableRow key={key} {...{ table, index, row, isSelected }} onToggle={() => row && toggle(row)} />;
          })}
          <Space height={below} />
        </tbody>
      </table>
    </div>
  );
}
