import { Stack, Title } from '@mantine/core';
import { printed, useChange, useRights, useText } from '../frame';
import { EditButton } from '../ui';
import { Editor } from '../ui/editor';
import type { Item } from './model';
import { useContentFields } from './use-content-fields';

/** The attributes and the data of the latest version. */
export function Content({ item: { _id: id, _irn, _versions } }: { item: Item }) {
  const { text } = useText();
  const [mayEdit] = useRights(_irn, ['EDIT']);
  const update = useChange('itemsvc.versions.update');
  const { _id: versionId, _userAttributes, _userData } = _versions[0]!;
  const { fields, contentOf } = useContentFields(_versions[0]!);
  const isText = typeof _userData === 'string';
  return (
    <Stack align="stretch">
      {mayEdit && (
        <div>
          <EditButton
            label={text('items.editContent')}
            fields={fields}
            onSubmit={async (values) => update.mutateAsync({ path: { id, versionId }, body: contentOf(values) })}
          />
        </div>
      )}
      <Title order={3} size="h5">
        {text('items.attributes')}
      </Title>
      <Editor readOnly language="json" label={text('items.attributes')} value={printed(_userAttributes)} />
      <Title order={3} size="h5">
        {text('items.data')}
      </Title>
      <Editor
        readOnly
        language={isText ? 'javascript' : 'json'}
        label={text('items.data')}
        value={isText ? _userData : printed(_userData)}
      />
    </Stack>
  );
}
