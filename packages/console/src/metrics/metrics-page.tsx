import { Stack } from '@mantine/core';
import { useRef } from 'react';
import { useCall, useParameter, useText } from '../frame';
import { Empty, PageTitle, Pending } from '../ui';
import { MetricPlot } from './metric-plot';
import { metricOf } from './names';
import { ValueTable } from './value-table';

/** What the namespace holds, the largest first, and each metric over time. */
export function MetricsPage() {
  const { text } = useText();
  const values = useCall('metricsvc.metrics.list', {});
  const [chosen, choose] = useParameter('metric');
  const plot = useRef<HTMLDivElement>(null);
  const show = (name: string) => {
    choose(name);
    void plot.current?.scrollIntoView();
  };
  if (!values.data) return <Pending of={[values]} />;
  const { metrics } = values.data;
  const bySize = metrics.toSorted((one, other) => other.value - one.value);
  const stored = bySize.filter(
    ({ metricName: name, value }) => isSize(name) && !metricOf(name)!.isRepeated && value > 0,
  );
  const counted = bySize.filter(({ metricName: name, value }) => !isSize(name) && value > 0);
  const metric = chosen || (stored[0] ?? bySize[0])?.metricName;
  return (
    <Stack>
      <PageTitle>{text('metrics.title')}</PageTitle>
      {stored.length + counted.length === 0 && <Empty>{text('metrics.empty')}</Empty>}
      <div className="beside">
        {stored.length > 0 && <ValueTable title={text('metrics.storage')} values={stored} onChoose={show} hasShares />}
        {counted.length > 0 && <ValueTable title={text('metrics.counts')} values={counted} onChoose={show} />}
      </div>
      <div ref={plot}>
        {metric && <MetricPlot metric={metric} onChoose={choose} names={metrics.map(({ metricName }) => metricName)} />}
      </div>
    </Stack>
  );
}

const isSize = (name: string) => metricOf(name)?.unit === 'bytes';
