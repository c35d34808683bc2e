import { Button, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ChangeEvent, DragEvent, ReactNode } from 'react';
import { useChange, useNamespace, useParameter, useRights, useText } from '../frame';
import { FormButton, PageLink, PageTitle, ResourceTable } from '../ui';
import { NewFileSet } from '../graphics/new-file-set';
import { DeleteEntries } from './delete-entries';
import { nameWith } from './entry';
import { useEntryColumns } from './entry-columns';
import { Path } from './path';
import { MoveEntries } from './move-entries';
import { UploadList } from './upload-list';
import { addUploads } from './uploads';
import { useFileRights } from './use-path';

/** The files and folders in the open folder, or those with a tag. */
export function FilesPage() {
  const { text } = useText();
  const [folder] = useParameter('folder');
  const [tag] = useParameter('tag');
  const [search] = useParameter('q');
  const namespace = useNamespace()!;
  const [mayCreate, mayEdit, mayDelete] = useFileRights(folder, ['CREATE', 'EDIT', 'DELETE']);
  const [maySet] = useRights('graphicssvc:fileset:*', ['CREATE']);
  const columns = useEntryColumns();
  const add = (files: File[]) => addUploads(namespace, folder, files);
  const chooser = useRef<HTMLInputElement>(null);
  const take = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    add([...(currentTarget.files ?? [])]);
    // The same file may be chosen again.
    currentTarget.value = '';
  };
  return (
    <DropZone onFiles={mayCreate ? add : undefined}>
      {/* Outside of the list, which may change while the user chooses. */}
      <input ref={chooser} hidden type="file" multiple onChange={take} />
      <PageTitle>{text('files.title')}</PageTitle>
      <Group justify="space-between">
        <Path folder={folder} />
        {folder !== '' && <PageLink to={`/files/${folder}`}>{text('files.properties')}</PageLink>}
      </Group>
      {tag !== '' && (
        <Group role="status">
          <Text>{text('files.withTag', { tag })}</Text>
          <PageLink to="/files">{text('files.allTags')}</PageLink>
        </Group>
      )}
      <UploadList />
      {search !== '' && <Text size="sm">{text('files.searchesAll')}</Text>}
      <ResourceTable
        operation="filesvc.files.list"
        // A parameter that is repeated may contain commas.
        input={{ query: tag === '' ? { _parents: folder || 'root' } : { _tags: [tag, tag] } }}
        label={text('files.title')}
        idOf={({ _id }) => _id}
        nameOf={({ _name }) => _name}
        // A search covers all folders.
        search={(typed) => ({ _name: nameWith(typed), _parents: undefined })}
        columns={columns}
        empty={text('files.empty')}
        actions={mayCreate && <AddButtons folder={folder} onUpload={() => chooser.current?.click()} />}
        bulk={
          mayEdit || mayDelete || maySet
            ? (entries, clear) => (
                <>
                  {maySet && <NewFileSet entries={entries} />}
                  {mayEdit && <MoveEntries entries={entries} from={folder} onDone={clear} />}
                  {mayDelete && <DeleteEntries entries={entries} onDone={clear} />}
                </>
              )
            : undefined
        }
      />
    </DropZone>
  );
}

function AddButtons({ folder, onUpload }: { folder: string; onUpload: () => void }) {
  const { text } = useText();
  return (
    <>
      <NewFolder folder={folder} />
      <Button onClick={onUpload}>{text('uploads.add')}</Button>
    </>
  );
}

/** Creates a folder in the open folder. */
function NewFolder({ folder }: { folder: string }) {
  const { text } = useText();
  const namespace = useNamespace()!;
  const create = useChange('filesvc.uploads.initiate');
  return (
    <FormButton
      label={text('files.newFolder')}
      variant="default"
      fields={[{ name: '_name', label: text('form.name'), isRequired: true, maxLength: 255 }]}
      onSubmit={({ _name }) =>
        create.mutateAsync({ query: { _name, _namespaces: namespace, _parents: folder || 'root' } })
      }
    />
  );
}

/** Takes files that are dragged onto the page. The buttons do the same for the keyboard. */
function DropZone({ onFiles, children }: { onFiles?: (files: File[]) => void; children: ReactNode }) {
  const { text } = useText();
  const [isOver, setOver] = useState(false);
  const take = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const isFile = (item: DataTransferItem) =>
      // Browsers list folders as files that cannot be read.
      item.kind === 'file' && !item.webkitGetAsEntry()?.isDirectory;
    onFiles?.([...event.dataTransfer.items].filter(isFile).flatMap((item) => item.getAsFile() ?? []));
  };
  return (
    <Stack
      className={isOver ? 'dropzone over' : 'dropzone'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(onFiles !== undefined);
      }}
      onDragLeave={(event) => setOver(event.currentTarget.contains(event.relatedTarget as Node | null))}
      onDrop={take}
    >
      {children}
      {onFiles && (
        <Text size="sm" c="dimmed">
          {text('uploads.drop')}
        </Text>
      )}
    </Stack>
  );
}
