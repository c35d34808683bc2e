import { Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { callOptions, useNamespace, useParameter, useText } from '../frame';
import { Failure, Loading, Select } from '../ui';
import type { Series } from '../ui/draw-plot';
import { Plot } from '../ui/plot';
import type { Range } from '../ui/range';
import { stepFor } from './step';
import type { Reading } from './use-latest';

const FUNCTIONS = ['avg', 'min', 'max'] as const;

interface ReadingsPlotProps {
  /** The collection. */
  id: string;
  sources: { id: string; name: string }[];
  /** The names of the values that are numbers. */
  fields: string[];
  range: Range;
}

/** Readings over time, down-sampled by the platform to about 500 points for each source. */
export function ReadingsPlot({ id, sources, fields, range }: ReadingsPlotProps) {
  const { text, language } = useText();
  const namespace = useNamespace();
  const [chosenField, chooseField] = useParameter('value');
  const [fn, setFn] = useParameter('fn');
  const field = chosenField || fields[0];
  const { every, everyMs } = stepFor(range.toMs - range.fromMs);
  // Whole steps: the same call is not made again every second.
  const toMs = Math.ceil(range.toMs / everyMs) * everyMs;
  const fromMs = Math.floor(range.fromMs / everyMs) * everyMs;
  const results = useQueries({
    queries: (field === undefined ? [] : sources).map((source) => ({
      ...callOptions(namespace, 'itemsvc.readings.list', {
        path: { id },
        query: {
          query: { _ts: { $gte: iso(fromMs), $lt: iso(toMs) }, '_tsMetadata._telItemId': source.id },
          ...{ project: { [field!]: 1 }, every, fn: fn || FUNCTIONS[0], _pageSize: 1000 },
        },
      }),
      placeholderData: keepPreviousData,
    })),
  });
  if (field === undefined) return <Text>{text('telemetry.noNumbers')}</Text>;
  const error = results.find((result) => result.error)?.error;
  const series = sources.map(({ name }, index) => ({
    label: name,
    points: pointsOf(results[index]?.data?._list, field),
  }));
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <Select
          label={text('list.value')}
          data={fields.includes(field) ? fields : [field, ...fields]}
          value={field}
          onChange={chooseField}
        />
        <Select
          label={text('telemetry.function')}
          data={FUNCTIONS.map((value) => ({ value, label: text(`telemetry.${value}`) }))}
          value={fn || FUNCTIONS[0]}
          onChange={setFn}
        />
        <Text size="sm" c="dimmed">
          {text('telemetry.every', { every: printed(every, language) })}
        </Text>
      </Group>
      {error && <Failure error={error} retry={() => results.forEach((result) => void result.refetch())} />}
      {results.some((result) => result.isPending) ? (
        <Loading />
      ) : (
        <Plot
          label={`${field}: ${sources.map(({ name }) => name).join(', ')}`}
          series={series}
          range={[range.fromMs, range.toMs]}
          onZoom={range.setZoom}
        />
      )}
    </Stack>
  );
}

const UNITS = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** A step such as `5m`, in words. */
function printed(every: string, language: string): string {
  const unit = UNITS[every.at(-1) as keyof typeof UNITS];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(parseInt(every, 10));
}

const iso = (ms: number) => new Date(ms).toISOString();

const pointsOf = (readings: Reading[] = [], field: string): Series['points'] =>
  readings.flatMap(({ _ts, [field]: value }) => (_ts && typeof value === 'number' ? [[Date.parse(_ts), value]] : []));
