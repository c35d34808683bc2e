import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useCall, useChange, useParameter, useText } from '../frame';
import { FormButton, Input, PageTitle, Pending, Table } from '../ui';

const SEARCH_DELAY_MS = 200;
const MAX_SHOWN = 100;
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** All users of the platform: by name or mail address. */
export function UsersPage() {
  const { text, time } = useText();
  const [typed, setTyped] = useParameter('q');
  const [wanted] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  const value = JSON.stringify(wanted);
  const filter = `userName co ${value} or displayName co ${value} or name.familyName co ${value}`;
  const users = useCall('passportsvc.users.list', {
    query: { count: MAX_SHOWN, ...(wanted === '' ? {} : { filter }) },
  });
  const found = users.data?.Resources ?? [];
  return (
    <Stack>
      <PageTitle>{text('users.title')}</PageTitle>
      <Group justify="space-between">
        <Input
          type="search"
          className="search"
          aria-label={text('list.search')}
          placeholder={text('users.search')}
          value={typed}
          onChange={setTyped}
        />
        <NewUser />
      </Group>
      {users.data ? (
        <>
          <Table
            isBoxed
            label={text('users.title')}
            head={[text('users.userName'), text('form.name'), text('list.status'), text('list.created')]}
            rows={found.map(({ id, userName, displayName, name, active, meta }) => ({
              key: id,
              cells: [
                <Anchor component={Link} to="/administration/users/$userId" params={{ userId: id }}>
                  {userName}
                </Anchor>,
                displayName ?? [name?.givenName, name?.familyName].filter(Boolean).join(' '),
                text(active === false ? 'users.inactive' : 'users.active'),
                time(meta && Date.parse(meta.created)),
              ],
            }))}
          />
          <Text size="sm" c="dimmed" role="status">
            {found.length === 0
              ? text('list.noMatch')
              : text('users.count', { shown: found.length, count: users.data.totalResults })}
          </Text>
        </>
      ) : (
        <Pending of={[users]} />
      )}
    </Stack>
  );
}

function NewUser() {
  const { text } = useText();
  const create = useChange('passportsvc.users.create');
  return (
    <FormButton
      label={text('users.create')}
      done={text('users.created')}
      fields={[
        {
          ...{ name: 'email', label: text('invites.email'), kind: 'email', isRequired: true, maxLength: 320 },
          help: text('users.createHelp'),
        },
        { name: 'givenName', label: text('users.givenName'), maxLength: 512 },
        { name: 'familyName', label: text('users.familyName'), maxLength: 512 },
      ]}
      onSubmit={({ email = '', givenName, familyName }) =>
        create.mutateAsync({
          body: {
            ...{ schemas: [USER], userName: email, active: true, name: { givenName, familyName } },
            emails: [{ value: email, type: 'work', primary: true }],
          },
        })
      }
    />
  );
}
