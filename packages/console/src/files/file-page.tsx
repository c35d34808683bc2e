import { Code } from '@mantine/core';
import { Access } from '../access/access';
import { useCall, useChange, useGo, useId, useText } from '../frame';
import { Detail, EditButton, linesOf, PageLink, Pending } from '../ui';
import { DeleteEntries } from './delete-entries';
import { DownloadButton } from './download-button';
import { bytesOf, isFolder } from './entry';
import type { Entry } from './entry';
import { STATUS, Tags } from './entry-columns';
import { MoveEntries } from './move-entries';
import { Path } from './path';
import { Preview } from './preview';
import { useFileRights, usePath } from './use-path';
import { Versions } from './versions';

/** One file with its versions, or one folder. */
export function FilePage() {
  const { text } = useText();
  const id = useId('fileId');
  const file = useCall('filesvc.files.get', { path: { id } });
  if (!file.data) return <Pending of={[file]} />;
  const { _name: name, _tipId: versionId, _fileVersion, _irn } = file.data;
  const preview = { id, name, versionId: versionId ?? '', size: _fileVersion?._fileSize ?? 0 };
  return (
    <Detail
      title={name}
      properties={useProperties(file.data)}
      actions={<Actions file={file.data} />}
      tabs={{
        ...(versionId !== undefined && {
          preview: { label: text('files.preview'), content: <Preview key={versionId} {...preview} /> },
          versions: { label: text('versions.title'), content: <Versions file={file.data} /> },
        }),
        access: { label: text('access.title'), content: <FileAccess id={id} /> },
      }}
    >
      <Path folder={id} />
      {isFolder(file.data) && <PageLink to={`/files?folder=${id}`}>{text('files.open')}</PageLink>}
    </Detail>
  );
}

function useProperties(file: Entry): [string, React.ReactNode][] {
  const { text, time, bytes } = useText();
  const { _id, _metadata, _status, _tags, _tipVersion, _uploadMeta } = file;
  const status = STATUS[_status];
  return [
    [text('list.status'), status && text(status)],
    [text('list.size'), bytes(bytesOf(file))],
    [text('versions.number'), _tipVersion],
    [text('files.tags'), _tags.length === 0 ? undefined : <Tags tags={_tags} />],
    [text('files.checksum'), _uploadMeta?._checksum.includes(':') ? <Code>{_uploadMeta._checksum}</Code> : undefined],
    [text('list.created'), `${time(_metadata._createdAt)}, ${_metadata._createdByName}`],
    [text('list.updated'), `${time(_metadata._updatedAt)}, ${_metadata._updatedByName}`],
    [text('list.id'), <Code>{_id}</Code>],
  ];
}

function FileAccess({ id }: { id: string }) {
  const [file, ...above] = usePath(id)
    .map(({ _irn: irn, _name: name }) => ({ irn, name }))
    .reverse();
  return file && <Access {...file} above={above} />;
}

function Actions({ file }: { file: Entry }) {
  const go = useGo();
  const [mayEdit, mayDelete] = useFileRights(file._id, ['EDIT', 'DELETE']);
  const folder = file._parents[0];
  return (
    <>
      {file._tipId !== undefined && <DownloadButton id={file._id} />}
      {mayEdit && <EditFile file={file} />}
      {mayEdit && <MoveEntries entries={[file]} from={folder ?? ''} />}
      {mayDelete && (
        <DeleteEntries
          entries={[file]}
          onDone={() => go(folder === undefined ? '/files' : `/files?folder=${folder}`)}
        />
      )}
    </>
  );
}

function EditFile({ file }: { file: Entry }) {
  const { text } = useText();
  const update = useChange('filesvc.files.update');
  return (
    <EditButton
      fields={[
        { name: 'name', label: text('form.name'), isRequired: true, maxLength: 255, initial: file._name },
        {
          ...{ name: 'tags', label: text('files.tags'), kind: 'lines', help: text('files.tagsHelp') },
          initial: file._tags.join('\n'),
        },
      ]}
      onSubmit={({ name: _name = '', tags }) =>
        update.mutateAsync({ path: { id: file._id }, body: { _name, _tags: linesOf(tags) } })
      }
    />
  );
}
