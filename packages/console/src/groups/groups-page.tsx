import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useCall, useChange, useText } from '../frame';
import { FormButton, PageTitle, ResourceTable, shortNameOf, useNameFields } from '../ui';

/** The groups that the user sees, and the invites that wait for an answer. */
export function GroupsPage() {
  const { text } = useText();
  return (
    <Stack>
      <PageTitle>{text('groups.title')}</PageTitle>
      <OwnInvites />
      <ResourceTable
        operation="passportsvc.usergroups.list"
        label={text('groups.title')}
        search={(query) => ({ query })}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('form.name'), value: ({ _id, _name }) => _name ?? _id, to: ({ _id }) => `/groups/${_id}` },
          { title: text('form.description'), value: ({ _description }) => _description },
          { title: text('groups.isMember'), value: ({ _isMember }) => (_isMember ? '✓' : '') },
          { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
        ]}
        empty={text('groups.empty')}
        actions={<NewGroup />}
      />
    </Stack>
  );
}

function NewGroup() {
  const { text } = useText();
  const create = useChange('passportsvc.usergroups.create');
  return (
    <FormButton
      label={text('groups.create')}
      fields={useNameFields()}
      onSubmit={({ _name = '', _description = '' }) =>
        create.mutateAsync({ body: [{ _name, _description, _shortName: shortNameOf(_name) }] })
      }
    />
  );
}

export function OwnInvites() {
  const { text } = useText();
  const invites = useCall('passportsvc.invites.listOwn', {});
  const answer = useChange('passportsvc.invites.change');
  const open = invites.data?.filter(({ _status }) => _status === 'PENDING') ?? [];
  if (open.length === 0) return undefined;
  const reply = (id: string, _status: 'ACCEPTED' | 'REJECTED') => answer.mutate({ path: { id }, body: { _status } });
  return (
    <section aria-label={text('invites.own')}>
      <Title order={3} size="h4">
        {text('invites.own')}
      </Title>
      {open.map(({ _id, _usergroup }) => (
        <Group key={_id}>
          <Text>{_usergroup._name}</Text>
          <Button size="compact-sm" onClick={() => reply(_id, 'ACCEPTED')}>
            {text('invites.accept')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => reply(_id, 'REJECTED')}>
            {text('invites.decline')}
          </Button>
        </Group>
      ))}
    </section>
  );
}
