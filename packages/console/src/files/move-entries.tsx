import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCall, useChanges, useText } from '../frame';
import { FormButton, Input, Pending } from '../ui';
import { nameWith } from './entry';
import type { Entry } from './entry';
import { usePath } from './use-path';

interface MoveProps {
  entries: Entry[];
  /** The folder that they leave; empty for the root. */
  from: string;
  onDone?: () => void;
}

/** Moves files and folders into a folder that the user opens in the dialog. */
export function MoveEntries({ entries, from, onDone }: MoveProps) {
  const { text } = useText();
  const [target, setTarget] = useState(from);
  const update = useChanges('filesvc.files.update');
  const without = new Set(entries.map(({ _id }) => _id));
  return (
    <FormButton
      label={text('files.move')}
      variant="default"
      title={text('files.moveTitle', { count: entries.length })}
      submit={text('files.moveHere')}
      fields={[]}
      preview={() => <FolderChoice folder={target} without={without} onOpen={setTarget} />}
      onSubmit={async () => {
        const moved = entries.map(({ _id: id, _name, _parents }) => {
          const others = _parents.includes(from) ? _parents.filter((parent) => parent !== from) : [];
          return { path: { id }, body: { _name, _parents: [...others, ...(target === '' ? [] : [target])] } };
        });
        await update(moved);
        onDone?.();
      }}
    />
  );
}

const MAX_SHOWN = 50;

interface ChoiceProps {
  folder: string;
  /** What is moved: it cannot be moved into itself. */
  without: ReadonlySet<string>;
  onOpen: (folder: string) => void;
}

function FolderChoice({ folder, without, onOpen }: ChoiceProps) {
  const { text } = useText();
  const [typed, setTyped] = useState('');
  const path = usePath(folder);
  const name = typed === '' ? undefined : nameWith(typed);
  const folders = useCall('filesvc.files.list', {
    query: { _parents: folder || 'root', _status: 'CREATED', _name: name, _pageSize: MAX_SHOWN },
  });
  const open = (id: string) => {
    setTyped('');
    onOpen(id);
  };
  const shown = folders.data?._list.filter(({ _id }) => !without.has(_id)) ?? [];
  return (
    <Stack gap="xs">
      <Text role="status">{[text('files.root'), ...path.map(({ _name }) => _name)].join(' / ')}</Text>
      <Group>
        {folder !== '' && (
          <Button size="compact-sm" variant="default" onClick={() => open(path.at(-2)?._id ?? '')}>
            {text('files.up')}
          </Button>
        )}
        <Input
          size="xs"
          aria-label={text('files.findFolder')}
          placeholder={text('files.findFolder')}
          value={typed}
          onChange={setTyped}
        />
      </Group>
      {!folders.data && <Pending of={[folders]} />}
      {folders.data && shown.length === 0 && <Text c="dimmed">{text('files.noFolders')}</Text>}
      {shown.map(({ _id, _name }) => (
        <Button key={_id} variant="subtle" justify="flex-start" size="compact-md" onClick={() => open(_id)}>
          {_name}
        </Button>
      ))}
      {(folders.data?._total ?? 0) > MAX_SHOWN && <Text size="sm">{text('files.moreFolders')}</Text>}
    </Stack>
  );
}
