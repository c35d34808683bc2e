import { Code } from '@mantine/core';
import { useCall, useChange, useId, useText } from '../frame';
import { ConfirmButton, Detail, Pending, ResourceTable } from '../ui';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** One user: where they are signed in, and how to end that. */
export function UserPage() {
  const { text, time } = useText();
  const id = useId('userId');
  const user = useCall('passportsvc.users.get', { path: { id } });
  const sessions = useCall('passportsvc.sessions.list', { path: { id } });
  const patch = useChange('passportsvc.users.patch');
  const endAll = useChange('passportsvc.sessions.endAll');
  const administrators = useCall('passportsvc.administrators.list', { query: { _pageSize: 1000 } });
  const addAdministrator = useChange('passportsvc.administrators.add');
  const removeAdministrator = useChange('passportsvc.administrators.remove');
  if (!user.data) return <Pending of={[user]} />;
  const { userName = id, displayName, emails = [], active, meta } = user.data;
  const ofType = (wanted: string) => sessions.data?._list.filter(({ _type }) => _type === wanted).length ?? '?';
  const effect = { name: userName, browsers: ofType('browser'), apps: ofType('app') };
  const isAdministrator = administrators.data?._list.some(({ _id }) => _id === id);
  const setActive = (value: boolean) =>
    patch.mutateAsync({
      path: { id },
      body: { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value }] },
    });
  return (
    <Detail
      title={displayName ?? userName}
      properties={[
        [text('users.userName'), userName],
        [text('invites.email'), emails.map(({ value }) => value).join(', ')],
        [text('list.status'), text(active === false ? 'users.inactive' : 'users.active')],
        [text('users.role'), text(isAdministrator ? 'users.administrator' : 'users.user')],
        [text('list.created'), time(meta && Date.parse(meta.created))],
        [text('account.id'), <Code>{id}</Code>],
      ]}
      actions={
        <>
          <ConfirmButton label={text('sessions.endAll')} onConfirm={() => endAll.mutateAsync({ path: { id } })}>
            {text('sessions.endAllEffect', effect)}
          </ConfirmButton>
          {isAdministrator ? (
            <ConfirmButton
              label={text('users.removeAdministrator')}
              onConfirm={() => removeAdministrator.mutateAsync({ path: { id } })}
            >
              {text('users.removeAdministratorEffect', effect)}
            </ConfirmButton>
          ) : (
            <ConfirmButton
              label={text('users.addAdministrator')}
              typed={userName}
              onConfirm={() => addAdministrator.mutateAsync({ path: { id } })}
            >
              {text('users.addAdministratorEffect', effect)}
            </ConfirmButton>
          )}
          {active === false ? (
            <ConfirmButton label={text('users.activate')} onConfirm={() => setActive(true)}>
              {text('users.activateEffect', effect)}
            </ConfirmButton>
          ) : (
            <ConfirmButton label={text('users.deactivate')} typed={userName} onConfirm={() => setActive(false)}>
              {text('users.deactivateEffect', effect)}
            </ConfirmButton>
          )}
        </>
      }
    >
      <h3>{text('sessions.title')}</h3>
      <Sessions id={id} />
    </Detail>
  );
}

function Sessions({ id }: { id: string }) {
  const { text, time } = useText();
  const end = useChange('passportsvc.sessions.end');
  const apps = useCall('passportsvc.apps.list', { query: { _pageSize: 1000 } });
  const nameOf = (appId?: string) => apps.data?._list.find(({ _id }) => _id === appId)?._name ?? appId ?? '';
  return (
    <ResourceTable
      operation="passportsvc.sessions.list"
      input={{ path: { id } }}
      label={text('sessions.title')}
      idOf={({ _id }) => _id}
      columns={[
        { title: text('sessions.type'), value: ({ _type }) => text(`sessions.${_type}`) },
        { title: text('access.app'), value: ({ _appId }) => nameOf(_appId) },
        { title: text('sessions.since'), time: ({ _startedAt }) => _startedAt },
        { title: text('invites.expires'), time: ({ _expiresAt }) => _expiresAt },
        {
          title: text('sessions.end'),
          value: ({ _id, _type, _appId, _startedAt }) => (
            <ConfirmButton
              label={text('sessions.end')}
              row={`${nameOf(_appId) || text(`sessions.${_type}`)}, ${time(_startedAt)}`}
              onConfirm={() => end.mutateAsync({ path: { id, sessionId: _id } })}
            >
              {text(_type === 'app' ? 'sessions.appEffect' : 'sessions.browserEffect')}
            </ConfirmButton>
          ),
        },
      ]}
      empty={text('sessions.none')}
    />
  );
}
