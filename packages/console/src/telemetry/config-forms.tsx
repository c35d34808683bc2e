import type { Output, Schemas } from '@dtplatform/sdk';
import { printed, useCall, useChange, useGo, useJson, useNamespace, useText } from '../frame';
import { EditButton, FormButton, shortNameOf, useNameFields } from '../ui';
import { useWork, WorkState } from '../tasks/use-work';
import type { Field } from '../ui/fields';

type Config = Output<'itemsvc.telemetryConfigs.get'>;
const NEW = '';
const slug = (name: string) => shortNameOf(name.toLowerCase().replace(/[^a-z0-9]+/g, '_')) || 'telemetry';

/** The field for the type of the script, which suggests those of the namespace. */
function useScriptField(initial: string): Field {
  const { text } = useText();
  const query = { query: { _itemClass: 'Script' }, project: { _userType: 1 }, _pageSize: 100 };
  const scripts = useCall('itemsvc.items.list', { query: query as never }, { refreshMs: false });
  const types = [...new Set(scripts.data?._list.flatMap(({ _userType }) => _userType ?? []))];
  return {
    ...{ name: 'script', label: text('telemetry.scriptType'), help: text('telemetry.scriptHelp'), isRequired: true },
    ...{ initial, choices: types.map((value) => ({ value, label: value })) },
  };
}

/** Creates a configuration, and a collection for its readings if the user has none. */
export function NewConfig() {
  const { text } = useText();
  const namespace = useNamespace()!;
  const go = useGo();
  const project = { _name: 1, _userItemId: 1 };
  const query = { query: { _itemClass: 'NamedTelemetryCollection' }, project, _pageSize: 1000 };
  const collections = useCall('itemsvc.items.list', { query: query as never }, { refreshMs: false });
  const createItem = useChange('itemsvc.items.create');
  const { start, task } = useWork('itemsvc.telemetryConfigs.create');
  const [name, description] = useNameFields() as [Field, Field];
  const common = (name: string) => ({ _name: name, _shortName: slug(name), _namespaces: [namespace] });
  const newCollection = async (name: string) => {
    const item = { ...common(name), _description: '', _userType: 'telemetry', _itemClass: 'NamedTelemetryCollection' };
    const { _list } = await createItem.mutateAsync({ body: [item as Schemas['NewItem']] });
    return _list[0]!._userItemId;
  };
  return (
    <FormButton
      label={text('telemetry.create')}
      fields={[
        name,
        {
          ...{ name: 'deviceType', label: text('telemetry.deviceType'), help: text('telemetry.deviceTypeHelp') },
          isRequired: true,
        },
        {
          ...{ name: 'collection', label: text('telemetry.collection'), kind: 'choice', initial: NEW },
          choices: [
            { value: NEW, label: text('telemetry.newCollection') },
            ...(collections.data?._list ?? []).map(({ _userItemId: value = '', _name }) => ({
              value,
              label: _name ?? value,
            })),
          ],
        },
        useScriptField('normalize'),
        description,
      ]}
      preview={() => <WorkState task={task} />}
      onSubmit={async ({ _name = '', deviceType = '', collection, script = '', _description = '' }) => {
        const _userItemId = collection || (await newCollection(_name));
        const _configData = {
          _bindings: [{ collectionDesc: { _userItemId }, query: { deviceType } }],
          _normalizationScript: { _userType: script },
        };
        const body = { ...common(_name), _userType: 'telemetry', _description, _configData };
        const { _id } = await start({ body });
        await go(`/telemetry/${_id as string}`);
      }}
    />
  );
}

/** Changes a configuration. */
export function EditConfig({ config }: { config: Config }) {
  const { text } = useText();
  const { start, task } = useWork('itemsvc.telemetryConfigs.update');
  const { _id, _name, _shortName, _description, _configData } = config;
  const [name, description] = useNameFields(_name, _description) as [Field, Field];
  const parse = useJson();
  return (
    <EditButton
      fields={[
        ...[name, description],
        useScriptField(_configData._normalizationScript._userType),
        {
          ...{ name: 'bindings', label: text('telemetry.bindings'), help: text('telemetry.bindingsHelp') },
          ...{ kind: 'json', initial: printed(_configData._bindings) },
        },
        {
          ...{ name: 'sources', label: text('telemetry.mqttSources'), help: text('telemetry.mqttHelp') },
          ...{ kind: 'json', initial: printed(_configData._sources ?? []) },
        },
      ]}
      preview={() => <WorkState task={task} />}
      onSubmit={async ({ _name = '', _description = '', script = '', bindings = '[]', sources = '[]' }) =>
        start({
          path: { id: _id },
          body: {
            ...{ _name, _shortName, _description },
            _configData: {
              ..._configData,
              _bindings: parse<Schemas['TelemetryBinding'][]>(bindings, true),
              _normalizationScript: { ..._configData._normalizationScript, _userType: script },
              _sources: parse<Schemas['TelemetrySource'][]>(sources, true),
            },
          },
        })
      }
    />
  );
}
