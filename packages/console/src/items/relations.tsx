import { Stack } from '@mantine/core';
import { useCall, useChange, useRights, useText } from '../frame';
import { ConfirmButton, FormButton, ResourceTable } from '../ui';
import { CLASSES } from './model';
import type { Item } from './model';
import { Graph } from './graph';

const EVERYTHING = { query: '{}' };
const SHOWN_IN_GRAPH = 40;
const MAX_CHOICES = 1000;

/** The items that a composite item consists of: as a graph, and as a list. */
export function Relations({ item }: { item: Item }) {
  const { text } = useText();
  const { _id: id, _irn, _name } = item;
  const [mayCreate, mayDelete] = useRights(_irn, ['CREATE', 'DELETE']);
  const remove = useChange('itemsvc.relatedCollections.delete');
  const input = { path: { id }, query: EVERYTHING };
  const page = useCall('itemsvc.relatedCollections.list', {
    ...input,
    query: { ...EVERYTHING, _pageSize: SHOWN_IN_GRAPH },
  });
  const related = page.data?._list ?? [];
  const nameOf = useNames();
  const nodes = related.map(({ _id = '', _itemId = '', _userType, _userItemVersion }) => ({
    ...{ id: _id, to: `/items/${_itemId}`, name: nameOf(_itemId), edge: `${_userType} · ${_userItemVersion}` },
  }));
  return (
    <Stack>
      {nodes.length > 0 && <Graph center={_name} nodes={nodes} />}
      <ResourceTable
        operation="itemsvc.relatedCollections.list"
        input={input}
        label={text('items.relations')}
        idOf={({ _id = '' }) => _id}
        columns={[
          {
            title: text('form.name'),
            value: ({ _itemId = '' }) => nameOf(_itemId),
            to: ({ _itemId = '' }) => `/items/${_itemId}`,
          },
          {
            title: text('items.class'),
            value: ({ _userItemClass }) => _userItemClass && text(CLASSES[_userItemClass]),
          },
          { title: text('list.type'), value: ({ _userType }) => _userType },
          { title: text('versions.number'), value: ({ _userItemVersion }) => _userItemVersion },
          {
            title: text('form.remove'),
            value: ({ _id: relCollectionId = '', _itemId = '' }) =>
              mayDelete && (
                <ConfirmButton
                  label={text('form.remove')}
                  row={nameOf(_itemId)}
                  onConfirm={() => remove.mutateAsync({ path: { id, relCollectionId } })}
                >
                  {text('items.removeRelationEffect', { name: nameOf(_itemId) })}
                </ConfirmButton>
              ),
          },
        ]}
        empty={text('items.noRelations')}
        actions={mayCreate && <AddRelation id={id} />}
      />
    </Stack>
  );
}

const NAMES = { project: JSON.stringify({ _name: 1, _userType: 1 }), _pageSize: MAX_CHOICES, sort: '{"_name":1}' };
const useItems = () => useCall('itemsvc.items.list', { query: NAMES }, { refreshMs: false }).data?._list ?? [];

function useNames(): (id: string) => string {
  const names = new Map(useItems().map(({ _id, _name }) => [_id, _name]));
  return (id) => names.get(id) ?? id;
}

function AddRelation({ id }: { id: string }) {
  const { text } = useText();
  const add = useChange('itemsvc.relatedCollections.create');
  const others = useItems().filter(({ _id }) => _id !== id);
  return (
    <FormButton
      label={text('items.addRelation')}
      submit={text('items.addRelation')}
      fields={[
        {
          ...{ name: 'id', label: text('items.item'), kind: 'choice', isRequired: true },
          choices: [
            { value: '', label: '' },
            ...others.map(({ _id = '', _name, _userType }) => ({ value: _id, label: `${_name} (${_userType})` })),
          ],
        },
      ]}
      onSubmit={({ id: _itemId = '' }) => add.mutateAsync({ path: { id }, body: [{ _itemId }] })}
    />
  );
}
