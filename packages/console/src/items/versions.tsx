import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { client, useChange, useNamespace, useParameter, useRights, useText } from '../frame';
import { ConfirmButton, FormButton, Loading, ResourceTable } from '../ui';
import { copyRows } from './copy-rows';
import { isCollection } from './model';
import type { Item } from './model';
import { useContentFields } from './use-content-fields';

const Comparison = lazy(async () => ({ default: (await import('./comparison')).Comparison }));

/** The versions of an item; two of them can be compared. */
export function Versions({ item }: { item: Item }) {
  const { text } = useText();
  const { _id: id, _irn } = item;
  const [mayEdit, mayDelete] = useRights(_irn, ['EDIT', 'DELETE']);
  const [compared, setCompared] = useParameter('compare');
  const remove = useChange('itemsvc.versions.delete');
  return (
    <>
      <ResourceTable
        operation="itemsvc.versions.list"
        input={{ path: { id } }}
        label={text('versions.title')}
        idOf={({ _version }) => String(_version)}
        columns={[
          {
            title: text('versions.number'),
            field: '_version',
            value: ({ _version = 0, _isTip }) => (_isTip ? text('items.latest', { version: _version }) : _version),
            key: ({ _version = 0 }) => _version,
          },
          { title: text('list.created'), time: ({ _metadata }) => _metadata?._createdAt },
          { title: text('list.updated'), time: ({ _metadata }) => _metadata?._updatedAt },
          {
            title: text('form.delete'),
            value: ({ _id = '', _version = 0 }) =>
              mayDelete &&
              item._versionsCount > 1 && (
                <ConfirmButton row={_version} onConfirm={() => remove.mutateAsync({ path: { id, versionId: _id } })}>
                  {text('items.deleteVersionEffect', { version: _version })}
                </ConfirmButton>
              ),
          },
        ]}
        empty={text('versions.title')}
        actions={mayEdit && <NewVersion item={item} />}
        bulk={(versions) =>
          versions.length === 2 ? (
            <Button
              variant="default"
              onClick={() =>
                setCompared(
                  versions
                    .map(({ _version }) => _version!)
                    .sort((a, b) => a - b)
                    .join('-'),
                )
              }
            >
              {text('versions.compare')}
            </Button>
          ) : (
            text('versions.chooseTwo')
          )
        }
      />
      {/^\d+-\d+$/.test(compared) && (
        <Suspense fallback={<Loading />}>
          <Comparison key={compared} item={item} numbers={compared.split('-')} />
        </Suspense>
      )}
    </>
  );
}

/** A new version has no items of its own, unless they are copied. */
function NewVersion({ item }: { item: Item }) {
  const { text, number } = useText();
  const namespace = useNamespace()!;
  const { _id: id, _tipId, _tipVersion, _versions } = item;
  const [copied, setCopied] = useState<number>();
  const { fields, contentOf } = useContentFields(_versions[0]!);
  const create = useChange('itemsvc.versions.create');
  const copy = { name: 'copy', label: text('items.copyRows'), kind: 'flag', initial: 'true' } as const;
  return (
    <FormButton
      label={text('items.createVersion')}
      fields={[
        ...(isCollection(item) ? [{ ...copy, help: text('items.copyHelp', { version: _tipVersion }) }] : []),
        ...fields,
      ]}
      preview={() => copied !== undefined && <p role="status">{text('items.copied', { count: number(copied) })}</p>}
      onSubmit={async (values) => {
        const { _id } = await create.mutateAsync({ path: { id }, body: contentOf(values) });
        if (values.copy) await copyRows(client.in(namespace), id, { from: _tipId, to: _id }, setCopied);
        setCopied(undefined);
      }}
    />
  );
}
