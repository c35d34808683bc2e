import { Anchor, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange, useText } from '../frame';
import { FormButton, linesOf, PageTitle, ResourceTable } from '../ui';
import { Secret } from './secret';

/** All apps that the administrator sees. */
export function AppsPage() {
  const { text } = useText();
  return (
    <Stack>
      <PageTitle>{text('apps.title')}</PageTitle>
      <ResourceTable
        operation="passportsvc.apps.list"
        label={text('apps.title')}
        search={(query) => ({ query })}
        idOf={({ _id }) => _id}
        columns={[
          {
            title: text('form.name'),
            value: ({ _id, _name }) => (
              <Anchor component={Link} to="/administration/apps/$appId" params={{ appId: _id }}>
                {_name}
              </Anchor>
            ),
            key: ({ _name }) => _name,
          },
          { title: text('apps.id'), value: ({ _id }) => _id },
          { title: text('account.organization'), value: ({ _orgId }) => _orgId },
          { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
        ]}
        empty={text('apps.empty')}
        actions={<NewApp />}
      />
    </Stack>
  );
}

function NewApp() {
  const { text } = useText();
  const create = useChange('passportsvc.apps.create');
  const organizations = useCall('passportsvc.organizations.list', { query: { _pageSize: 1000 } });
  const me = useCall('passportsvc.users.me', {}, { refreshMs: false });
  const [secret, setSecret] = useState<string>();
  const choices = organizations.data?._list.map(({ _id, _name }) => ({ value: _id, label: _name })) ?? [];
  return (
    <>
      <FormButton
        key={String(choices.length > 0)}
        label={text('apps.create')}
        fields={[
          { name: '_name', label: text('form.name'), isRequired: true, maxLength: 128 },
          {
            ...{ name: '_orgId', label: text('account.organization'), kind: 'choice', choices },
            initial: choices[0]?.value,
          },
          {
            ...{ name: '_appOwner', label: text('apps.owner'), kind: 'email', isRequired: true },
            ...{ help: text('apps.ownerHelp'), initial: me.data?._email },
          },
          {
            ...{ name: '_redirectUris', label: text('apps.redirectUris'), kind: 'lines', isRequired: true },
            help: text('apps.redirectUrisHelp'),
          },
        ]}
        onSubmit={async ({ _name = '', _orgId = '', _appOwner = '', _redirectUris }) => {
          const body = { _name, _orgId, _appOwner, _redirectUris: linesOf(_redirectUris).join(',') };
          const { _secret } = await create.mutateAsync({ body });
          if (!_secret) throw new Error(text('apps.secretLost'));
          setSecret(_secret);
        }}
      />
      <Secret value={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
