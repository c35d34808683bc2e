import { Code } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange, useId, useText } from '../frame';
import { ConfirmButton, Detail, EditButton, FormButton, linesOf, Pending } from '../ui';
import { Secret } from './secret';
import { Templates } from './templates';

const isAhead = (ms = 0) => ms > Date.now();
const listed = (list = '') => list.split(',').filter(Boolean).join('\n');

/** One app: its addresses, its grants and its secret. */
export function AppPage() {
  const { text, time } = useText();
  const id = useId('appId');
  const navigate = useNavigate();
  const app = useCall('passportsvc.apps.get', { path: { id }, query: { withConfigs: 'true' } });
  const update = useChange('passportsvc.apps.update');
  const remove = useChange('passportsvc.apps.delete');
  if (!app.data) return <Pending of={[app]} />;
  const { _name, _redirectUris, _authorizedOrigins, _authorizedGrantTypes, _configs = {}, ...rest } = app.data;
  return (
    <Detail
      title={_name}
      properties={[
        [text('apps.id'), <Code>{id}</Code>],
        [text('account.organization'), rest._orgId],
        [text('apps.redirectUris'), listed(_redirectUris)],
        [text('apps.origins'), listed(_authorizedOrigins)],
        [text('apps.grantTypes'), listed(_authorizedGrantTypes)],
        [
          text('apps.limits'),
          Object.entries(_configs)
            .map((limit) => limit.join(': '))
            .join('\n'),
        ],
        [text('apps.previousSecret'), isAhead(rest._previousSecretExpiresAt) && time(rest._previousSecretExpiresAt)],
        [text('list.created'), time(rest._metadata._createdAt)],
      ]}
      actions={
        <>
          <EditButton
            fields={[
              { name: '_name', label: text('form.name'), isRequired: true, maxLength: 128, initial: _name },
              {
                ...{ name: '_redirectUris', label: text('apps.redirectUris'), kind: 'lines', isRequired: true },
                ...{ help: text('apps.redirectUrisHelp'), initial: listed(_redirectUris) },
              },
              {
                ...{ name: '_authorizedOrigins', label: text('apps.origins'), kind: 'lines' },
                ...{ help: text('apps.originsHelp'), initial: listed(_authorizedOrigins) },
              },
              {
                ...{ name: '_authorizedGrantTypes', label: text('apps.grantTypes'), kind: 'lines', isRequired: true },
                initial: listed(_authorizedGrantTypes),
              },
            ]}
            onSubmit={({ _name: name = '', ...lists }) => {
              const of = (field: string) => linesOf(lists[field]).join(',');
              const uris = { _redirectUris: of('_redirectUris'), _authorizedOrigins: of('_authorizedOrigins') };
              const grants = of('_authorizedGrantTypes');
              // What stays as it is is not sent: somebody else may have changed it meanwhile.
              const isSame = grants === linesOf(listed(_authorizedGrantTypes)).join(',');
              const body = { _name: name, ...uris, ...(!isSame && { _authorizedGrantTypes: grants }) };
              return update.mutateAsync({ path: { id }, body });
            }}
          />
          <ReplaceSecret id={id} name={_name} />
          <ConfirmButton
            typed={_name}
            onConfirm={async () => {
              await remove.mutateAsync({ path: { id } });
              await navigate({ to: '/administration/apps' });
            }}
          >
            {text('apps.deleteEffect', { name: _name })}
          </ConfirmButton>
        </>
      }
    >
      <Templates appId={id} />
    </Detail>
  );
}

const HOUR_SEC = 3600;

function ReplaceSecret({ id, name }: { id: string; name: string }) {
  const { text } = useText();
  const replace = useChange('passportsvc.apps.replaceSecret');
  const [secret, setSecret] = useState<string>();
  const periods = [
    { value: '0', label: text('apps.endsNow') },
    { value: String(HOUR_SEC), label: text('apps.endsInHour') },
    { value: String(24 * HOUR_SEC), label: text('apps.endsInDay') },
    { value: String(7 * 24 * HOUR_SEC), label: text('apps.endsInWeek') },
  ];
  return (
    <>
      <FormButton
        variant="default"
        label={text('apps.replaceSecret')}
        submit={text('apps.replaceSecret')}
        fields={[
          {
            ...{ name: 'period', label: text('apps.oldSecret'), kind: 'choice', choices: periods },
            ...{ initial: String(24 * HOUR_SEC), help: text('apps.oldSecretHelp', { name }) },
          },
          { name: 'ends', label: text('apps.endTokens'), kind: 'flag', help: text('apps.endTokensHelp') },
        ]}
        onSubmit={async ({ period, ends }) => {
          const _endTokens = ends === 'true';
          const body = { _endTokens, _previousValidForSec: _endTokens ? 0 : Number(period) };
          const { _secret } = await replace.mutateAsync({ path: { id }, body });
          if (!_secret) throw new Error(text('apps.secretLost'));
          setSecret(_secret);
        }}
      />
      <Secret value={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
