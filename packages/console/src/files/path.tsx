import { Group, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useText } from '../frame';
import { PageLink } from '../ui';
import { usePath } from './use-path';

/** Where the open folder is; each folder above it is a link. */
export function Path({ folder }: { folder: string }) {
  const { text } = useText();
  const path = usePath(folder);
  if (folder === '') return <Text>{text('files.root')}</Text>;
  const open = path.find(({ _id }) => _id === folder);
  return (
    <nav aria-label={text('files.path')}>
      <Group gap="xs">
        <PageLink to="/files">{text('files.root')}</PageLink> /
        {path
          .filter((above) => above !== open)
          .map(({ _id, _name }) => (
            <Fragment key={_id}>
              <PageLink to={`/files?folder=${_id}`}>{_name}</PageLink> /
            </Fragment>
          ))}
        <Text aria-current="page">{open?._name ?? '…'}</Text>
      </Group>
    </nav>
  );
}
