import { Stack } from '@mantine/core';
import { useChange, useText } from '../frame';
import { FormButton, PageTitle, ResourceTable } from '../ui';

/** The organizations of the platform. */
export function OrganizationsPage() {
  const { text } = useText();
  const create = useChange('passportsvc.organizations.create');
  return (
    <Stack>
      <PageTitle>{text('organizations.title')}</PageTitle>
      <ResourceTable
        operation="passportsvc.organizations.list"
        label={text('organizations.title')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('form.name'), value: ({ _name }) => _name },
          { title: text('organizations.id'), value: ({ _id }) => _id },
          { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
        ]}
        empty={text('organizations.empty')}
        actions={
          <FormButton
            label={text('organizations.create')}
            fields={[{ name: '_name', label: text('form.name'), isRequired: true, maxLength: 128 }]}
            onSubmit={({ _name = '' }) => create.mutateAsync({ body: { _name } })}
          />
        }
      />
    </Stack>
  );
}
