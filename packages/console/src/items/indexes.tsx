import { useChange, useRights, useText } from '../frame';
import { ConfirmButton, FormButton, ResourceTable } from '../ui';
import type { Item } from './model';

const KINDS = { '1': 1, '-1': -1, text: 'text' } as const;

/** The indexes that speed up queries on the items of a collection. */
export function Indexes({ item: { _id: id, _irn } }: { item: Item }) {
  const { text } = useText();
  const [mayEdit] = useRights(_irn, ['EDIT']);
  const create = useChange('itemsvc.indexes.create');
  const remove = useChange('itemsvc.indexes.delete');
  const kinds = { '1': text('items.ascending'), '-1': text('items.descending'), text: text('items.text') };
  return (
    <ResourceTable
      operation="itemsvc.indexes.list"
      input={{ path: { id } }}
      label={text('items.indexes')}
      idOf={({ options }) => options.name}
      columns={[
        { title: text('form.name'), value: ({ options }) => options.name },
        { title: text('items.fields'), value: ({ key }) => Object.keys(key).join(', ') },
        { title: text('items.order'), value: ({ key }) => kinds[String(Object.values(key)[0]) as keyof typeof kinds] },
        { title: text('list.status'), value: ({ _status }) => _status },
        {
          title: text('form.delete'),
          value: ({ options: { name } }) =>
            mayEdit && (
              <ConfirmButton row={name} onConfirm={() => remove.mutateAsync({ path: { id, indexName: name } })}>
                {text('items.deleteIndexEffect', { name })}
              </ConfirmButton>
            ),
        },
      ]}
      empty={text('items.noIndexes')}
      actions={
        mayEdit && (
          <FormButton
            label={text('items.createIndex')}
            fields={[
              { name: 'field', label: text('items.field'), isRequired: true, maxLength: 256 },
              {
                ...{ name: 'kind', label: text('items.order'), kind: 'choice', initial: '1' },
                choices: Object.entries(kinds).map(([value, label]) => ({ value, label })),
              },
            ]}
            onSubmit={({ field = '', kind }) =>
              create.mutateAsync({ path: { id }, body: [{ key: { [field]: KINDS[kind as keyof typeof KINDS] } }] })
            }
          />
        )
      }
    />
  );
}
