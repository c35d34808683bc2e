import { Button, Checkbox } from '@mantine/core';
import type { EntryOf, ListOperation } from '@dtplatform/sdk';
import { useText } from '../messages/text';
import { PageLink } from './page-link';
import type { TableProps } from './use-rows';

interface HeadProps<O extends ListOperation> {
  table: TableProps<O>;
  /** Whether the page holds the whole list, so that it can sort by every column with texts. */
  isComplete: boolean;
  sample: EntryOf<O> | undefined;
  /** The title or field of the column, after a `-` if it descends. */
  order: string;
  onOrder: (order: string) => void;
}

export function TableHead<O extends ListOperation>({ table, isComplete, sample, order, onOrder }: HeadProps<O>) {
  const { text } = useText();
  return (
    <thead>
      <tr>
        {table.bulk && (
          <th>
            <span className="hidden">{text('list.select')}</span>
          </th>
        )}
        {table.columns.map((column) => {
          const canSort =
            isComplete && (column.key ?? column.time ?? typeof (sample && column.value?.(sample)) !== 'object');
          const field = canSort ? column.title : column.field;
          return <Heading key={column.title} title={column.title} order={field} current={order} onOrder={onOrder} />;
        })}
      </tr>
    </thead>
  );
}

interface HeadingProps {
  title: string;
  /** What the address holds for this column; absent if it cannot be sorted. */
  order?: string;
  current: string;
  onOrder: (order: string) => void;
}

function Heading({ title, order, current, onOrder }: HeadingProps) {
  const isDescending = current === `-${order}`;
  const isSorted = order !== undefined && (current === order || isDescending);
  const next = current === order ? `-${order}` : isDescending ? '' : order;
  return (
    <th aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}>
      {next === undefined ? (
        title
      ) : (
        <Button variant="transparent" size="compact-sm" c="inherit" p={0} onClick={() => onOrder(next)}>
          {title}
          {isSorted && <span aria-hidden> {isDescending ? '↓' : '↑'}</span>}
        </Button>
      )}
    </th>
  );
}

interface RowProps<O extends ListOperation> {
  table: TableProps<O>;
  index: number;
  /** Absent while it loads. */
  row: EntryOf<O> | undefined;
  isSelected: boolean;
  onToggle: () => void;
}

export function TableRow<O extends ListOperation>({ table, index, row, isSelected, onToggle }: RowProps<O>) {
  const { text, time } = useText();
  const { columns, bulk, idOf, nameOf = idOf } = table;
  // The first row is the head.
  const position = index + 2;
  if (row === undefined)
    return (
      <tr aria-rowindex={position}>
        <td colSpan={columns.length + (bulk ? 1 : 0)}>…</td>
      </tr>
    );
  return (
    <tr aria-rowindex={position}>
      {bulk && (
        <td>
          <Checkbox
            aria-label={text('list.selectRow', { name: nameOf(row) })}
            checked={isSelected}
            onChange={onToggle}
          />
        </td>
      )}
      {columns.map(({ title, value, time: timeOf, to }) => {
        const shown = timeOf ? time(timeOf(row)) : value?.(row);
        return <td key={title}>{to ? <PageLink to={to(row)}>{shown}</PageLink> : shown}</td>;
      })}
    </tr>
  );
}

/** Keeps the height of rows that are out of view. */
export const Space = ({ height }: { height: number }) =>
  height > 0 && (
    <tr aria-hidden>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
