import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, printed, useChange, useJson, useNamespace, useText } from '../frame';
import { Dialog, Failure, FormButton, FormDialog, inRow } from '../ui';
import { contentOf, REQUIRED } from './model';
import type { Item, Row } from './model';
import type { Place } from './use-fields';

/** A button that adds an item to a collection. */
export function AddRow({ item, place }: { item: Item; place: Place }) {
  const { text } = useText();
  const parse = useJson();
  const add = useChange('itemsvc.relatedItems.create');
  const required = REQUIRED[item._itemClass];
  const initial = printed(required === undefined ? {} : { [required]: '' });
  return (
    <FormButton
      label={text('items.addRow')}
      fields={[{ name: 'content', label: text('items.json'), kind: 'json', initial, help: text('items.jsonHelp') }]}
      onSubmit={async ({ content = '' }) => {
        const { _failures } = await add.mutateAsync({ ...place, body: [parse(content)] });
        if (_failures?.[0]) throw new Error(_failures[0].message);
      }}
    />
  );
}

/** Reads an item again to change it, so that the change of somebody else in between is not lost. */
export function EditRow({ place, row }: { place: Place; row: Row }) {
  const { text } = useText();
  const namespace = useNamespace()!;
  const parse = useJson();
  const update = useChange('itemsvc.relatedItems.update');
  const input = { ...place, path: { ...place.path, fileItemId: row._id! } };
  const opening = useMutation({ mutationFn: () => client.in(namespace).send('itemsvc.relatedItems.get', input) });
  const { body, headers } = opening.data ?? {};
  return (
    <>
      <Button {...inRow(text('form.edit'), row._id!)} loading={opening.isPending} onClick={() => opening.mutate()}>
        {text('form.edit')}
      </Button>
      <Dialog isOpen={opening.error !== null} onClose={opening.reset} title={text('form.edit')}>
        {opening.error && <Failure error={opening.error} retry={() => opening.mutate()} />}
      </Dialog>
      <FormDialog
        isOpen={body !== undefined}
        onClose={opening.reset}
        title={text('form.edit')}
        submit={text('form.save')}
        fields={[
          { name: 'content', label: text('items.json'), kind: 'json', initial: body && printed(contentOf(body)) },
        ]}
        onSubmit={async ({ content = '' }) =>
          update.mutateAsync({
            ...input,
            headers: { 'If-Match': headers?.get('etag') ?? undefined },
            body: parse(content),
          })
        }
      />
    </>
  );
}
