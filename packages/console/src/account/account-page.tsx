import { Anchor, Code, Text } from '@mantine/core';
import { useCall, useChange, useText } from '../frame';
import { ConfirmButton, Detail, Pending, ResourceTable } from '../ui';
import { OwnInvites } from '../groups/groups-page';

/** The user: who they are, and what acts in their name. */
export function AccountPage() {
  const { text } = useText();
  const me = useCall('passportsvc.users.me', {});
  if (!me.data) return <Pending of={[me]} />;
  const { _id, _firstname, _lastname, _email } = me.data;
  return (
    <Detail
      title={`${_firstname} ${_lastname}`.trim() || text('account.title')}
      properties={[
        [text('invites.email'), _email],
        [text('account.id'), <Code>{_id}</Code>],
      ]}
      actions={<Anchor href="/passportsvc/api/v1/account">{text('account.sessions')}</Anchor>}
    >
      <Text>{text('account.sessionsHelp')}</Text>
      <OwnInvites />
      <section aria-label={text('account.consents')}>
        <h3>{text('account.consents')}</h3>
        <Consents />
      </section>
    </Detail>
  );
}

function Consents() {
  const { text } = useText();
  const withdraw = useChange('passportsvc.consents.revoke');
  return (
    <ResourceTable
      operation="passportsvc.consents.list"
      label={text('account.consents')}
      idOf={({ _appId }) => _appId}
      columns={[
        { title: text('access.app'), value: ({ _appName }) => _appName },
        { title: text('account.organization'), value: ({ _orgName }) => _orgName },
        { title: text('account.destinations'), value: ({ _destinations }) => _destinations.join(', ') },
        { title: text('list.created'), time: ({ _metadata }) => _metadata._createdAt },
        {
          title: text('account.withdraw'),
          value: ({ _appId, _appName }) => (
            <ConfirmButton
              label={text('account.withdraw')}
              row={_appName}
              onConfirm={() => withdraw.mutateAsync({ path: { appId: _appId } })}
            >
              {text('account.withdrawEffect', { name: _appName })}
            </ConfirmButton>
          ),
        },
      ]}
      empty={text('account.noConsents')}
    />
  );
}
