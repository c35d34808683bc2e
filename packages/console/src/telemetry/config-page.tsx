import { lazy, Suspense } from 'react';
import { Access } from '../access/access';
import { useCall, useGo, useId, useRights, useText } from '../frame';
import { ConfirmButton, Detail, Loading, Pending } from '../ui';
import { useWork, WorkState } from '../tasks/use-work';
import { EditConfig } from './config-forms';
import { DeadLetters } from './dead-letters';
import { ReadingsOfConfig } from './readings';
import { SendMessage } from './send-message';

const ScriptTab = lazy(async () => ({ default: (await import('./script-tab')).ScriptTab }));

/** One telemetry configuration: its readings, what failed, and its script. */
export function ConfigPage() {
  const { text, time } = useText();
  const id = useId('configId');
  const go = useGo();
  const config = useCall('itemsvc.telemetryConfigs.get', { path: { id } });
  const letters = useCall('itemsvc.deadLetters.list', { path: { id }, query: { _pageSize: 0 } });
  const remove = useWork('itemsvc.telemetryConfigs.delete', true);
  const irn = `itemsvc:telemetryconfig:${id}`;
  const [mayEdit = false, mayDelete, maySend] = useRights(irn, ['EDIT', 'DELETE', 'CREATE']);
  if (!config.data) return <Pending of={[config]} />;
  const { _name: name, _description, _metadata, _configData } = config.data;
  const failed = letters.data?._total ?? 0;
  return (
    <Detail
      title={name}
      properties={[
        [text('form.description'), _description],
        [text('telemetry.deviceTypes'), _configData._bindings.map(({ query }) => query.deviceType).join(', ')],
        [
          text('telemetry.mqttSources'),
          _configData._sources?.map(({ _connector, _channel }) => `${_connector}: ${_channel}`).join(', '),
        ],
        [text('list.updated'), time(_metadata._updatedAt)],
      ]}
      actions={
        <>
          {maySend && <SendMessage id={id} deviceType={_configData._bindings[0]?.query.deviceType} />}
          {mayEdit && <EditConfig config={config.data} />}
          {mayDelete && (
            <ConfirmButton
              onConfirm={async () => {
                await remove.start({ path: { id } });
                await go('/telemetry');
              }}
            >
              {text('telemetry.deleteEffect', { name, count: failed })}
              <WorkState task={remove.task} />
            </ConfirmButton>
          )}
        </>
      }
      tabs={{
        readings: { label: text('telemetry.readings'), content: <ReadingsOfConfig config={config.data} /> },
        letters: {
          label: `${text('letters.title')}${failed > 0 ? ` (${failed})` : ''}`,
          content: <DeadLetters id={id} mayEdit={mayEdit} />,
        },
        script: {
          label: text('items.script'),
          content: (
            <Suspense fallback={<Loading />}>
              <ScriptTab type={_configData._normalizationScript._userType} deviceType={deviceTypeOf(_configData)} />
            </Suspense>
          ),
        },
        access: { label: text('access.title'), content: <Access irn={irn} name={name} /> },
      }}
    />
  );
}

const deviceTypeOf = ({ _bindings }: { _bindings: { query: { deviceType: string } }[] }) =>
  _bindings[0]?.query.deviceType ?? '';
