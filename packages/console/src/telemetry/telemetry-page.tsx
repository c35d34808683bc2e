import { Stack } from '@mantine/core';
import { useRights, useText } from '../frame';
import { PageTitle, ResourceTable } from '../ui';
import { NewConfig } from './config-forms';

/** The telemetry configurations: how messages of devices become readings. */
export function TelemetryPage() {
  const { text } = useText();
  const [mayCreate] = useRights('itemsvc:telemetryconfig:*', ['CREATE']);
  return (
    <Stack>
      <PageTitle>{text('telemetry.title')}</PageTitle>
      <ResourceTable
        operation="itemsvc.telemetryConfigs.list"
        label={text('telemetry.configs')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('form.name'), value: ({ _name }) => _name, to: ({ _id }) => `/telemetry/${_id}` },
          {
            title: text('telemetry.deviceTypes'),
            value: ({ _configData }) => _configData._bindings.map(({ query }) => query.deviceType).join(', '),
          },
          { title: text('items.script'), value: ({ _configData }) => _configData._normalizationScript._userType },
          { title: text('form.description'), value: ({ _description }) => _description },
          { title: text('list.updated'), time: ({ _metadata }) => _metadata._updatedAt },
        ]}
        empty={text('telemetry.empty')}
        actions={mayCreate && <NewConfig />}
      />
    </Stack>
  );
}
