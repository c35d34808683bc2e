import { Text } from '@mantine/core';
import { useCall, useText } from '../frame';
import { ConfirmButton } from '../ui';
import { useWork, WorkState } from '../tasks/use-work';
import { isFolder } from './entry';
import type { Entry } from './entry';

/** Deletes files and folders, and waits for the end of a large deletion. */
export function DeleteEntries({ entries, onDone }: { entries: Entry[]; onDone: () => unknown }) {
  const { start, task } = useWork('filesvc.files.deleteMany');
  return (
    <ConfirmButton
      onConfirm={async () => {
        await start({ query: { _ids: entries.map(({ _id }) => _id) } });
        await onDone();
      }}
    >
      <Losses entries={entries} />
      <WorkState task={task} />
    </ConfirmButton>
  );
}

const MAX_NAMED = 10;

function Losses({ entries }: { entries: Entry[] }) {
  const { text } = useText();
  return (
    <>
      <Text>{text('files.deleteEffect', { count: entries.length })}</Text>
      <ul>
        {entries.slice(0, MAX_NAMED).map((entry) => (
          <li key={entry._id}>
            {entry._name}{' '}
            {isFolder(entry) ? (
              <FolderLoss id={entry._id} />
            ) : (
              text('files.fileEffect', { count: entry._tipVersion ?? 0 })
            )}
          </li>
        ))}
        {entries.length > MAX_NAMED && <li>…</li>}
      </ul>
    </>
  );
}

function FolderLoss({ id }: { id: string }) {
  const { text } = useText();
  const children = useCall('filesvc.files.children', { path: { id }, query: { _pageSize: 0 } });
  return children.data && text('files.folderEffect', { count: children.data._total });
}
