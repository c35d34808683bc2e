import { Stack } from '@mantine/core';
import { useText } from '../frame';
import { PageLink, PageTitle, ResourceTable } from '../ui';

/** The file sets: files that a viewer shows together. */
export function GraphicsPage() {
  const { text } = useText();
  return (
    <Stack>
      <PageTitle>{text('graphics.title')}</PageTitle>
      <ResourceTable
        operation="graphicssvc.filesets.list"
        label={text('graphics.title')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('form.name'), value: ({ _name }) => _name, to: ({ _id }) => `/graphics/${_id}` },
          { title: text('files.title'), value: ({ _fileIds }) => _fileIds.length },
          { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
        ]}
        empty={text('graphics.empty')}
        actions={<PageLink to="/files">{text('files.title')}</PageLink>}
      />
    </Stack>
  );
}
