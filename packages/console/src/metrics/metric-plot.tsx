import { Button, Group, Stack, Title } from '@mantine/core';
import type { Input, Output } from '@dtplatform/sdk';
import { useCall, useNamespace, useParameter, useText } from '../frame';
import { Failure, Loading, Select } from '../ui';
import type { Series } from '../ui/draw-plot';
import { Plot } from '../ui/plot';
import { RangeInput, useRange } from '../ui/range';
import { csvOf, saveText } from '../csv';
import { metricOf } from './names';
import { useMetricTexts } from './use-metric-texts';

const HOUR_MS = 3_600_000;
/** Longer periods have a point per day. */
const MAX_HOURS = 14 * 24;
const PREVIOUS = 'previous';

type Name = Input<'metricsvc.metrics.series-of-query'>['path']['name'];

interface MetricPlotProps {
  metric: string;
  /** All metrics. */
  names: string[];
  onChoose: (metric: string) => void;
}

/** A metric over time, beside another one or the period before. */
export function MetricPlot({ metric, names, onChoose }: MetricPlotProps) {
  const { text } = useText();
  const { nameOf, write } = useMetricTexts();
  const range = useRange('week');
  const [compared, compare] = useParameter('compare');
  const lengthMs = range.toMs - range.fromMs;
  // Whole steps: the points of both periods have the same times.
  const stepMs = lengthMs > MAX_HOURS * HOUR_MS ? 24 * HOUR_MS : HOUR_MS;
  const shiftMs = compared === PREVIOUS ? Math.ceil(lengthMs / stepMs) * stepMs : 0;
  const other = compared === PREVIOUS ? metric : compared;
  const first = useSeries(metric, range.fromMs, range.toMs);
  const second = useSeries(other || metric, range.fromMs - shiftMs, range.toMs - shiftMs, other !== '');
  const error = first.error ?? second.error;
  const choices = names.map((value) => ({ value, label: nameOf(value) })).toSorted(byLabel);
  const lines = [
    { metric, label: nameOf(metric), points: pointsOf(first.data) },
    ...(other === ''
      ? []
      : [
          {
            metric: other,
            label: shiftMs > 0 ? text('metrics.previous') : nameOf(other),
            points: pointsOf(second.data, shiftMs),
          },
        ]),
  ];
  // Bytes and counts have no common axis.
  const plots = UNITS.map((unit) => lines.filter((line) => unitOf(line.metric) === unit)).filter(
    ({ length }) => length > 0,
  );
  return (
    <Stack component="section" aria-label={text('metrics.overTime')}>
      <Title order={3} size="h4">
        {text('metrics.overTime')}
      </Title>
      <Group align="flex-end" gap="xs">
        <Select label={text('metrics.metric')} data={choices} value={metric} onChange={onChoose} />
        <Select
          label={text('metrics.compare')}
          data={[
            { value: '', label: text('metrics.compareNothing') },
            { value: PREVIOUS, label: text('metrics.previous') },
            ...choices.filter(({ value }) => value !== metric),
          ]}
          value={compared}
          onChange={compare}
        />
        <RangeInput range={range} names={['day', 'week', 'month']} />
        <Export lines={lines} name={nameOf(metric)} />
      </Group>
      {error && <Failure error={error} retry={() => void first.refetch()} />}
      {!first.data && !error && <Loading />}
      {first.data &&
        plots.map((series) => (
          <Plot
            key={series[0]!.metric}
            label={series.map(({ label }) => label).join(', ')}
            series={series.map(({ label, points }) => ({ label, points }))}
            range={[range.fromMs, range.toMs]}
            onZoom={range.setZoom}
            format={(value) => write(series[0]!.metric, value)}
          />
        ))}
    </Stack>
  );
}

const UNITS = ['bytes', 'count'] as const;
const unitOf = (metric: string) => metricOf(metric)?.unit ?? 'count';
const byLabel = (one: { label: string }, other: { label: string }) => one.label.localeCompare(other.label);

/** Times are hours, so that the same call is not made again every second. */
function useSeries(name: string, fromMs: number, toMs: number, isEnabled = true) {
  const iso = (ms: number) => new Date(Math.ceil(ms / HOUR_MS) * HOUR_MS).toISOString();
  const granularity = toMs - fromMs > MAX_HOURS * HOUR_MS ? 'day' : 'hour';
  const query = { 'period.from': iso(fromMs), 'period.to': iso(toMs), 'period.granularity': granularity } as const;
  return useCall('metricsvc.metrics.series-of-query', { path: { name: name as Name }, query }, { isEnabled });
}

const pointsOf = (data?: Output<'metricsvc.metrics.series-of-query'>, shiftMs = 0): Series['points'] =>
  data?.metrics.map(({ timestamp, value }) => [Date.parse(timestamp) + shiftMs, value]) ?? [];

function Export({
  lines,
  name,
}: {
  lines: { metric: string; label: string; points: Series['points'] }[];
  name: string;
}) {
  const { text } = useText();
  const namespace = useNamespace();
  const save = () => {
    const head = [text('list.time'), ...lines.map(({ label }) => label)];
    const times = [...new Set(lines.flatMap(({ points }) => points.map(([ms]) => ms)))].toSorted((a, b) => a - b);
    const columns = lines.map(({ points }) => new Map(points));
    const rows = times.map((ms) => [new Date(ms).toISOString(), ...columns.map((column) => column.get(ms) ?? '')]);
    saveText(`${namespace} ${name}.csv`, csvOf([head, ...rows]), 'text/csv');
  };
  return (
    <Button variant="default" onClick={save}>
      {text('metrics.export')}
    </Button>
  );
}
