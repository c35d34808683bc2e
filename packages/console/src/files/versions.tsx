import { Button, Group, Stack } from '@mantine/core';
import type { Schemas } from '@dtplatform/sdk';
import { lazy, Suspense } from 'react';
import { useChange, useParameter, useText } from '../frame';
import { ConfirmButton, Loading, ResourceTable } from '../ui';
import { DownloadButton } from './download-button';
import type { Entry } from './entry';
import { useFileRights } from './use-path';

const Comparison = lazy(() => import('./comparison'));
export type Version = Schemas['FileVersion'];

/** The versions of a file, two of which can be compared. */
export function Versions({ file }: { file: Entry }) {
  const { text, bytes } = useText();
  const [compared, setCompared] = useParameter('compare');
  const [mayDelete = false] = useFileRights(file._id, ['DELETE']);
  const [one, other] = compared.split(' ');
  return (
    <Stack>
      <ResourceTable
        operation="filesvc.fileVersions.list"
        input={{ path: { id: file._id } }}
        label={text('versions.title')}
        idOf={({ _id }) => _id}
        nameOf={({ _version }) => text('versions.name', { version: _version })}
        columns={[
          { title: text('versions.number'), value: ({ _version }) => _version },
          {
            title: text('list.size'),
            value: ({ _fileSize }) => bytes(_fileSize),
            key: ({ _fileSize }) => _fileSize,
          },
          { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
          { title: text('files.by'), value: ({ _metadata }) => _metadata._createdByName },
          {
            title: text('access.actions'),
            value: (version) => (
              <Actions file={file} version={version} mayDelete={mayDelete} onDelete={() => setCompared('')} />
            ),
          },
        ]}
        empty={text('files.noVersions')}
        bulk={(versions) =>
          versions.length === 2 ? (
            <Button onClick={() => setCompared(versions.map(({ _id }) => _id).join(' '))}>
              {text('versions.compare')}
            </Button>
          ) : (
            text('versions.chooseTwo')
          )
        }
      />
      {one && other && (
        <Suspense fallback={<Loading />}>
          <Comparison key={compared} file={file} ids={[one, other]} />
        </Suspense>
      )}
    </Stack>
  );
}

interface ActionsProps {
  file: Entry;
  version: Version;
  mayDelete: boolean;
  onDelete: () => void;
}

function Actions({ file, version, mayDelete, onDelete }: ActionsProps) {
  const { text } = useText();
  const remove = useChange('filesvc.fileVersions.delete');
  const { _id: versionId, _version } = version;
  const name = text('versions.name', { version: _version });
  return (
    <Group gap={4} wrap="nowrap">
      <DownloadButton id={file._id} versionId={versionId} row={name} />
      {mayDelete && (
        <ConfirmButton
          row={name}
          onConfirm={() => {
            onDelete();
            return remove.mutateAsync({ path: { id: file._id, versionId } });
          }}
        >
          {text('files.deleteVersionEffect', { version: _version, name: file._name })}
        </ConfirmButton>
      )}
    </Group>
  );
}
