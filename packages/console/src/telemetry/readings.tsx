import { Group, Stack, Text } from '@mantine/core';
import type { Output } from '@dtplatform/sdk';
import { useCall, useParameter, useText } from '../frame';
import { Empty, PageLink, Pending, Select } from '../ui';
import { RangeInput, useRange } from '../ui/range';
import { AddSources } from './add-sources';
import { ReadingsPlot } from './readings-plot';
import { SourceTable } from './source-table';
import { fieldsIn, useLatest } from './use-latest';

/** The readings of a configuration: those of each collection that it is bound to. */
export function ReadingsOfConfig({ config }: { config: Output<'itemsvc.telemetryConfigs.get'> }) {
  const { text } = useText();
  const bound = [...new Set(config._configData._bindings.map(({ collectionDesc }) => collectionDesc._userItemId))];
  const [chosen, choose] = useParameter('collection');
  const id = chosen || bound[0];
  if (id === undefined) return <Empty>{text('telemetry.noBinding')}</Empty>;
  return (
    <Stack>
      {bound.length > 1 && <Select label={text('telemetry.collection')} data={bound} value={id} onChange={choose} />}
      <Readings key={id} id={id} />
    </Stack>
  );
}

/** More lines are hard to tell apart. */
const MAX_LINES = 6;
const SOURCES = { project: { _sourceId: 1 }, _pageSize: 1000 };

/** The readings of a telemetry collection: a plot, and when each source was last heard of. */
function Readings({ id }: { id: string }) {
  const { text } = useText();
  const range = useRange('day');
  const [chosen, choose] = useParameter('sources');
  const collection = useCall('itemsvc.items.get', { path: { id } });
  const items = useCall('itemsvc.relatedItems.list', { path: { id }, query: SOURCES as never });
  const sources = (items.data?._list ?? []).map(({ _id, _sourceId }) => ({ id: String(_id), name: String(_sourceId) }));
  const latest = useLatest(
    id,
    sources.map(({ id }) => id),
  );
  if (!items.data || !collection.data) return <Pending of={[collection, items]} />;
  const { _id: itemId = id, _name = id } = collection.data;
  const head = (
    <Group justify="space-between">
      <Text>
        {text('telemetry.collection')}: <PageLink to={`/items/${itemId}`}>{_name}</PageLink>
      </Text>
      <AddSources id={itemId} />
    </Group>
  );
  if (sources.length === 0)
    return (
      <>
        {head}
        <Empty>{text('telemetry.noSources')}</Empty>
      </>
    );
  const wanted = chosen.split(',');
  const shown = chosen === '' ? sources.slice(0, MAX_LINES) : sources.filter(({ id }) => wanted.includes(id));
  return (
    <Stack>
      {head}
      <RangeInput range={range} names={['hour', 'day', 'week', 'month']} />
      <ReadingsPlot id={id} sources={shown} fields={fieldsIn(latest.data)} range={range} />
      {latest.data ? (
        <SourceTable
          sources={sources}
          latest={latest.data}
          shown={shown.map(({ id }) => id)}
          maxShown={MAX_LINES}
          onShow={(ids) => choose(ids.join(','))}
        />
      ) : (
        <Pending of={[latest]} />
      )}
    </Stack>
  );
}
