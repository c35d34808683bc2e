import { Text } from '@mantine/core';
import { useChange, useChanges, useGo, useNamespace, useText } from '../frame';
import { FormButton } from '../ui';
import { GRAPHICS_TAG, isFolder } from '../files/entry';
import type { Entry } from '../files/entry';

/** Creates a file set from the given files, and loads it. */
export function NewFileSet({ entries }: { entries: Entry[] }) {
  const { text } = useText();
  const namespace = useNamespace()!;
  const go = useGo();
  const create = useChange('graphicssvc.filesets.create');
  const load = useChange('graphicssvc.filestore.load');
  const tag = useTagFiles();
  const files = entries.filter((entry) => !isFolder(entry));
  return (
    <FormButton
      label={text('graphics.create')}
      variant="default"
      title={text('graphics.create')}
      fields={[
        { name: '_name', label: text('form.name'), isRequired: true, maxLength: 256 },
        { name: 'tag', label: text('graphics.tag'), kind: 'flag', help: text('graphics.tagHelp'), initial: 'true' },
      ]}
      preview={() => <Text>{text('graphics.of', { count: files.length })}</Text>}
      onSubmit={async ({ _name = '', tag: isTagged }) => {
        if (files.length === 0) throw new Error(text('graphics.chooseOne'));
        if (isTagged) await tag(files);
        const _fileIds = files.map(({ _id }) => _id);
        // First, so that lists find the loads of the new set.
        await load.mutateAsync({ body: _fileIds.map((_fileId) => ({ _fileId })) });
        const { _id } = await create.mutateAsync({ body: { _name, _fileIds, _namespaces: [namespace] } });
        await go(`/graphics/${_id}`);
      }}
    />
  );
}

/** Returns a function that gives files the tag without which they are not loaded. */
export function useTagFiles(): (files: Entry[]) => Promise<void> {
  const update = useChanges('filesvc.files.update');
  return (files) => {
    const untagged = files.filter(({ _tags }) => !_tags.includes(GRAPHICS_TAG));
    return update(
      untagged.map(({ _id: id, _name, _tags }) => ({ path: { id }, body: { _name, _tags: [..._tags, GRAPHICS_TAG] } })),
    );
  };
}
