import { Stack } from '@mantine/core';
import { useChange, useGo, useJson, useNamespace, useRights, useText } from '../frame';
import { FormButton, PageTitle, ResourceTable, shortNameOf, useNameFields } from '../ui';
import type { Field } from '../ui/fields';
import { CLASSES, containsText, sortBy } from './model';
import type { Item } from './model';

const SEARCHED = ['_name', '_userType', '_itemClass'];
const WITHOUT_CONTENT = { query: { project: JSON.stringify({ _versions: 0 }) } };

/** The collections and other named items of the namespace. */
export function ItemsPage() {
  const { text } = useText();
  const [mayCreate] = useRights('itemsvc:nameduseritem:*', ['CREATE']);
  return (
    <Stack>
      <PageTitle>{text('items.title')}</PageTitle>
      <ResourceTable
        operation="itemsvc.items.list"
        input={WITHOUT_CONTENT}
        label={text('items.title')}
        search={(typed) => containsText(SEARCHED, typed)}
        sort={sortBy}
        idOf={({ _id = '' }) => _id}
        columns={[
          {
            title: text('form.name'),
            field: '_name',
            value: ({ _id, _name }) => _name ?? _id,
            to: ({ _id }) => `/items/${_id}`,
          },
          {
            title: text('items.class'),
            field: '_itemClass',
            value: ({ _itemClass }) => _itemClass && text(CLASSES[_itemClass]),
          },
          { title: text('list.type'), field: '_userType', value: ({ _userType }) => _userType },
          { title: text('form.description'), value: ({ _description }) => _description },
          { title: text('versions.number'), field: '_tipVersion', value: ({ _tipVersion }) => _tipVersion },
          {
            title: text('list.updated'),
            field: '_metadata._updatedAt',
            time: ({ _metadata }) => _metadata?._updatedAt,
          },
        ]}
        empty={text('items.empty')}
        actions={mayCreate && <NewItem />}
      />
    </Stack>
  );
}

function NewItem() {
  const { text } = useText();
  const namespace = useNamespace()!;
  const go = useGo();
  const parse = useJson();
  const [name, description] = useNameFields() as [Field, Field];
  const create = useChange('itemsvc.items.create');
  return (
    <FormButton
      label={text('items.create')}
      fields={[
        name,
        {
          ...{ name: '_itemClass', label: text('items.class'), help: text('items.classHelp'), kind: 'choice' },
          choices: Object.entries(CLASSES).map(([value, key]) => ({ value, label: text(key) })),
          initial: 'NamedUserCollection',
        },
        { name: '_userType', label: text('list.type'), isRequired: true, help: text('items.typeHelp') },
        description,
        { name: 'attributes', label: text('items.attributes'), kind: 'json', initial: '{}' },
        { name: 'data', label: text('items.data'), kind: 'json', help: text('items.dataHelp') },
      ]}
      onSubmit={async ({ _name = '', _userType = '', _description = '', attributes = '', data = '', ...values }) => {
        const _itemClass = values._itemClass as Item['_itemClass'];
        const _userData = _itemClass === 'Script' || data.trim() === '' ? data : parse(data);
        const isEmpty = data.trim() === '' && !['Script', 'UserConfig'].includes(_itemClass);
        const item = {
          ...{ _name, _itemClass, _userType, _description, _namespaces: [namespace], _shortName: shortNameOf(_name) },
          _version: { _userAttributes: parse(attributes || '{}'), ...(!isEmpty && { _userData: _userData || {} }) },
        };
        const { _list } = await create.mutateAsync({ body: [item] });
        await go(`/items/${_list[0]!._id}`);
      }}
    />
  );
}
