import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, useChange, useChanges, useParameter, useText } from '../frame';
import { ConfirmButton, Failure, FormButton, PageTitle, ResourceTable, Select } from '../ui';

const EVENTS = ['CREATE', 'UPDATE', 'DELETE'] as const;
const STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED', 'CANCELLED'] as const;
/** As many as one call lists. */
const MAX_RETRIES = 1000;

/** The SCIM servers that follow the users of the platform, and the log of deliveries. */
export function ScimPage() {
  const { text } = useText();
  const remove = useChange('passportsvc.scimServers.delete');
  return (
    <Stack>
      <PageTitle>{text('scim.title')}</PageTitle>
      <ResourceTable
        operation="passportsvc.scimServers.list"
        label={text('scim.title')}
        idOf={({ id }) => id}
        columns={[
          { title: text('scim.baseUrl'), value: ({ baseUrl }) => baseUrl },
          { title: text('scim.tokenUrl'), value: ({ tokenUrl }) => tokenUrl },
          { title: text('scim.clientId'), value: ({ clientId }) => clientId },
          {
            title: text('form.delete'),
            value: ({ id, baseUrl }) => (
              <ConfirmButton row={baseUrl} onConfirm={() => remove.mutateAsync({ path: { id } })}>
                {text('scim.deleteEffect', { name: baseUrl })}
              </ConfirmButton>
            ),
          },
        ]}
        empty={text('scim.empty')}
        actions={<NewServer />}
      />
      <h3>{text('deliveries.title')}</h3>
      <Deliveries />
    </Stack>
  );
}

function NewServer() {
  const { text } = useText();
  const create = useChange('passportsvc.scimServers.create');
  const listen = useChanges('passportsvc.scimListeners.create');
  return (
    <FormButton
      label={text('scim.create')}
      fields={[
        { name: 'baseUrl', label: text('scim.baseUrl'), isRequired: true, help: text('scim.baseUrlHelp') },
        { name: 'tokenUrl', label: text('scim.tokenUrl'), isRequired: true },
        { name: 'clientId', label: text('scim.clientId'), maxLength: 256 },
        { name: 'clientSecret', label: text('scim.clientSecret'), kind: 'password', maxLength: 1024 },
      ]}
      onSubmit={async ({ baseUrl = '', tokenUrl = '', clientId, clientSecret }) => {
        const credentials = { ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) };
        const { id } = await create.mutateAsync({ body: { baseUrl, tokenUrl, ...credentials } });
        await listen(EVENTS.map((eventName) => ({ body: { scimServerDetailId: id, eventName, realmId: 'iam' } })));
      }}
    />
  );
}

function Deliveries() {
  const { text } = useText();
  const [status, setStatus] = useParameter('status');
  const retry = useChange('passportsvc.scimDeliveries.retry');
  const wanted = STATUSES.find((one) => one === status);
  return (
    <Stack gap="xs">
      <Select
        aria-label={text('list.status')}
        data={[
          { value: '', label: text('deliveries.all') },
          ...STATUSES.map((value) => ({ value, label: text(`deliveries.${value}`) })),
        ]}
        value={wanted ?? ''}
        onChange={setStatus}
      />
      <ResourceTable
        operation="passportsvc.scimDeliveries.list"
        input={{ query: wanted && { status: wanted } }}
        label={text('deliveries.title')}
        idOf={({ id }) => id}
        columns={[
          { title: text('list.time'), time: ({ updatedAt }) => updatedAt },
          { title: text('access.user'), value: ({ userId }) => userId },
          { title: text('deliveries.event'), value: ({ eventName }) => eventName },
          { title: text('list.status'), value: (row) => text(`deliveries.${row.status}`) },
          { title: text('deliveries.attempts'), value: ({ attempts }) => attempts },
          { title: text('deliveries.reason'), value: ({ lastError }) => lastError },
          {
            title: text('form.retry'),
            value: ({ id, userId, ...row }) =>
              row.status === 'FAILED' && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`${text('form.retry')}: ${userId}`}
                  onClick={() => retry.mutate({ path: { id } })}
                >
                  {text('form.retry')}
                </Button>
              ),
          },
        ]}
        empty={text('deliveries.empty')}
        actions={<RetryAll />}
      />
      {retry.error && <Failure error={retry.error} />}
    </Stack>
  );
}

function RetryAll() {
  const { text } = useText();
  const retry = useChanges('passportsvc.scimDeliveries.retry');
  const all = useMutation({
    mutationFn: async () => {
      const query = { status: 'FAILED' as const, _pageSize: MAX_RETRIES };
      const { _list } = await client.call('passportsvc.scimDeliveries.list', { query });
      await retry(_list.map(({ id }) => ({ path: { id } })));
    },
  });
  return (
    <>
      {all.error && <Text c="red">{all.error.message}</Text>}
      <Button variant="default" loading={all.isPending} onClick={() => all.mutate()}>
        {text('deliveries.retryAll')}
      </Button>
    </>
  );
}
