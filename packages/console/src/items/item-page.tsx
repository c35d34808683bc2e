import { Code } from '@mantine/core';
import { Access } from '../access/access';
import { useCall, useChange, useGo, useId, useRights, useText } from '../frame';
import { ConfirmButton, Detail, EditButton, Loading, Pending, useNameFields } from '../ui';
import { Changes } from './changes';
import { Content } from './content';
import { Indexes } from './indexes';
import { CLASSES, isCollection } from './model';
import type { Item } from './model';
import { Relations } from './relations';
import { Rows } from './rows';
import { Versions } from './versions';

/** One named item with what belongs to it. */
export function ItemPage() {
  const { text, time } = useText();
  const id = useId('itemId');
  const found = useCall('itemsvc.items.get', { path: { id } });
  if (!found.data) return <Pending of={[found]} />;
  const item = found.data as Item;
  const { _name, _description, _itemClass, _userType, _shortName, _userItemId, _tipVersion, _irn, _metadata } = item;
  const ofCollections = isCollection(item) || undefined;
  return (
    <Detail
      title={_name}
      properties={[
        [text('form.description'), _description],
        [text('items.class'), text(CLASSES[_itemClass])],
        [text('list.type'), _userType],
        [text('form.shortName'), _shortName],
        [text('list.id'), <Code>{_userItemId}</Code>],
        [text('versions.number'), _tipVersion],
        [text('list.updated'), time(_metadata._updatedAt)],
      ]}
      actions={<Actions item={item} />}
      tabs={{
        items: ofCollections && { label: text('items.rows'), content: <Rows item={item} /> },
        relations:
          _itemClass === 'NamedCompositeItem'
            ? { label: text('items.relations'), content: <Relations item={item} /> }
            : undefined,
        content: { label: text('items.content'), content: <Content item={item} /> },
        versions: { label: text('versions.title'), content: <Versions item={item} /> },
        indexes: ofCollections && { label: text('items.indexes'), content: <Indexes item={item} /> },
        changes: { label: text('items.changes'), content: <Changes item={item} /> },
        access: { label: text('access.title'), content: <Access irn={_irn} name={_name} /> },
      }}
    />
  );
}

function Actions({ item }: { item: Item }) {
  const { text } = useText();
  const go = useGo();
  const { _id: id, _name, _description, _userType, _namespaces, _irn } = item;
  const [mayEdit, mayDelete] = useRights(_irn, ['EDIT', 'DELETE']);
  const fields = useNameFields(_name, _description);
  const update = useChange('itemsvc.items.update');
  const remove = useChange('itemsvc.items.delete');
  return (
    <>
      {mayEdit && (
        <EditButton
          fields={[
            ...fields,
            { name: '_userType', label: text('list.type'), isRequired: true, maxLength: 1024, initial: _userType },
          ]}
          onSubmit={(values) => update.mutateAsync({ path: { id }, body: { ...values, _namespaces } as never })}
        />
      )}
      {mayDelete && (
        <ConfirmButton
          onConfirm={async () => {
            await remove.mutateAsync({ path: { id } });
            await go('/items');
          }}
        >
          <Lost item={item} />
        </ConfirmButton>
      )}
    </>
  );
}

/** What is deleted with an item, in numbers. */
function Lost({ item }: { item: Item }) {
  const { text, number } = useText();
  const { _id: id, _name: name, _versionsCount: versions } = item;
  const isOfCollection = isCollection(item);
  const input = { path: { id }, query: { _pageSize: 1 } };
  const rows = useCall('itemsvc.relatedItems.list', input, { isEnabled: isOfCollection });
  if (isOfCollection && rows.isPending) return <Loading />;
  return text('items.deleteEffect', { name, versions, count: number(rows.data?._total ?? 0) });
}
