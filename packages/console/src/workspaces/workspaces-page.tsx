import { Anchor, Stack } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useChange, useText } from '../frame';
import { FormButton, PageTitle, ResourceTable, shortNameOf, useNameFields } from '../ui';

/** All workspaces of the user. */
export function WorkspacesPage() {
  const { text } = useText();
  return (
    <Stack>
      <PageTitle>{text('workspaces.title')}</PageTitle>
      <ResourceTable
        operation="passportsvc.workspaces.list"
        label={text('workspaces.title')}
        search={(query) => ({ query })}
        idOf={({ _id }) => _id}
        columns={[
          {
            title: text('form.name'),
            value: ({ _id, _name }) => (
              <Anchor component={Link} to="/workspaces/$id" params={{ id: _id }}>
                {_name ?? _id}
              </Anchor>
            ),
            key: ({ _id, _name }) => _name ?? _id,
          },
          { title: text('form.description'), value: ({ _description }) => _description },
          { title: text('form.shortName'), value: ({ _shortName }) => _shortName },
          { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
        ]}
        empty={text('workspaces.empty')}
        actions={<NewWorkspace />}
      />
    </Stack>
  );
}

function NewWorkspace() {
  const { text } = useText();
  const navigate = useNavigate();
  const create = useChange('passportsvc.workspaces.create');
  return (
    <FormButton
      label={text('workspaces.create')}
      fields={useNameFields()}
      onSubmit={async ({ _name = '', _description }) => {
        const names = { _name, _shortName: shortNameOf(_name) };
        const { _list } = await create.mutateAsync({ body: [{ ...names, ...(_description && { _description }) }] });
        await navigate({ to: '/workspaces/$id', params: { id: _list[0]!._id } });
      }}
    />
  );
}
