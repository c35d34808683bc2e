import { Checkbox, Group, Stack } from '@mantine/core';
import { problemOf, useCall, useChanges, useParameter, useRights, useText } from '../frame';
import { ConfirmButton, Failure, ResourceTable, Select } from '../ui';
import { ImportButton } from './import-button';
import { sortBy } from './model';
import type { Item, Row } from './model';
import { QueryField } from './query-field';
import { AddRow, EditRow } from './row-forms';
import { useFields } from './use-fields';

const CHANGED = '_metadata._updatedAt';
const MAX_TEXT = 200;

/** The items of a collection as a table, found by a query that the address holds. */
export function Rows({ item }: { item: Item }) {
  const { text } = useText();
  const [query, setQuery] = useParameter('query');
  const [version, setVersion] = useParameter('version');
  const [mayCreate, mayEdit, mayDelete] = useRights(item._irn, ['CREATE', 'EDIT', 'DELETE']);
  const remove = useChanges('itemsvc.relatedItems.delete');
  const place = { path: { id: item._id }, query: version === '' ? {} : { userItemVersionId: version } };
  const { fields, chosen, choose } = useFields(place);
  const problem = query === '' ? undefined : problemOf(query);
  const ownTitles = [text('list.updated'), text('form.edit')];
  return (
    <Stack gap="xs">
      <Group align="end" gap="xs">
        <VersionChoice item={item} value={version} onChange={setVersion} />
        {/* Not in the table: it appears with the first imported item, and the dialog must stay. */}
        {mayCreate && (
          <>
            <ImportButton item={item} place={place} />
            <AddRow item={item} place={place} />
          </>
        )}
      </Group>
      {(fields.length > 0 || query !== '') && <QueryField item={item} fields={fields} value={query} onRun={setQuery} />}
      <ColumnChoice fields={fields} chosen={chosen} onChange={choose} />
      {problem !== undefined ? (
        <Failure error={new Error(text('form.notJson', { problem }))} />
      ) : (
        <ResourceTable
          operation="itemsvc.relatedItems.list"
          input={{ ...place, query: { ...place.query, ...(query !== '' && { query }) } }}
          label={text('items.rows')}
          sort={sortBy}
          idOf={({ _id = '' }) => _id}
          columns={[
            ...chosen.map((name) => ({
              title: ownTitles.includes(name) ? `“${name}”` : name,
              // Names with a dot would be read as a path.
              field: /^\$|\./.test(name) ? undefined : name,
              value: (row: Row) => shown(row[name]),
            })),
            { title: text('list.updated'), field: CHANGED, time: ({ _metadata }: Row) => _metadata?._updatedAt },
            ...(mayEdit
              ? [{ title: text('form.edit'), value: (row: Row) => <EditRow place={place} row={row} /> }]
              : []),
          ]}
          empty={text(query === '' ? 'items.noRows' : 'items.noMatch')}
          bulk={
            mayDelete
              ? (rows, clear) => (
                  <ConfirmButton
                    label={text('items.deleteRows', { count: rows.length })}
                    onConfirm={async () => {
                      await remove(
                        rows.map(({ _id: fileItemId = '' }) => ({ ...place, path: { ...place.path, fileItemId } })),
                      );
                      clear();
                    }}
                  >
                    {text('items.deleteRowsEffect', { count: rows.length })}
                  </ConfirmButton>
                )
              : undefined
          }
        />
      )}
    </Stack>
  );
}

function shown(value: unknown): string | number {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (typeof value === 'number') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value).slice(0, MAX_TEXT);
}

interface VersionChoiceProps {
  item: Item;
  value: string;
  onChange: (id: string) => void;
}

/** Older versions have items of their own. */
function VersionChoice({ item: { _id: id, _versionsCount }, value, onChange }: VersionChoiceProps) {
  const { text } = useText();
  const query = { _pageSize: 100, project: JSON.stringify({ _version: 1, _isTip: 1 }) };
  const versions = useCall('itemsvc.versions.list', { path: { id }, query }, { isEnabled: _versionsCount > 1 });
  if (!versions.data || _versionsCount < 2) return undefined;
  return (
    <Select
      label={text('versions.number')}
      value={value}
      onChange={onChange}
      data={versions.data._list.map(({ _id = '', _version = 0, _isTip }) => ({
        value: _isTip ? '' : _id,
        label: _isTip ? text('items.latest', { version: _version }) : String(_version),
      }))}
    />
  );
}

interface ColumnChoiceProps {
  fields: string[];
  chosen: string[];
  onChange: (names: string[]) => void;
}

function ColumnChoice({ fields, chosen, onChange }: ColumnChoiceProps) {
  const { text } = useText();
  if (fields.length < 2) return undefined;
  const toggle = (name: string) => onChange(fields.filter((other) => (other === name) !== chosen.includes(other)));
  return (
    <details>
      <summary>{text('items.columns', { shown: chosen.length, count: fields.length })}</summary>
      <div className="beside">
        {fields.map((name) => (
          <Checkbox key={name} label={name} checked={chosen.includes(name)} onChange={() => toggle(name)} />
        ))}
      </div>
    </details>
  );
}
