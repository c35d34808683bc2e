import type { Input, Output as Body } from '@dtplatform/sdk';
import { plot } from 'asciichart';
import { Option } from 'commander';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { printable, printRows } from '../output.js';

type Metric = Body<'metricsvc.metrics.list'>['metrics'][number];
type Point = Body<'metricsvc.metrics.value'>['metrics'][number];

interface GetOptions {
  from?: string;
  to?: string;
  granularity: 'hour' | 'day';
  plot?: boolean;
}

const PLOT_HEIGHT = 12;
const PLOT_WIDTH = 72;

export function addMetrics(program: Command): void {
  const metrics = program.command('metrics').description('show what the namespace uses');
  asList<Metric>(metrics.command('ls').description('list all metrics with their current values'), {
    async *read({ client, signal }) {
      yield* (await client.call('metricsvc.metrics.list', { signal })).metrics;
    },
    columns: [
      ['NAME', ({ metricName }) => metricName],
      ['VALUE', ({ value }) => value],
    ],
  });
  metrics
    .command('get')
    .argument('<name>', 'its name, such as dtplatform.filesvc.FileCount')
    .option('--from <time>', 'the start, in ISO 8601; seven days before the end by default')
    .option('--to <time>', 'the end, in ISO 8601; now by default')
    .addOption(new Option('--granularity <step>', 'one point per').choices(['hour', 'day']).default('hour'))
    .option('--plot', 'draw the values instead of printing a table')
    .description('show a metric over time')
    .action(get);
}

async function get(name: string, options: GetOptions, command: Command): Promise<void> {
  const { client, output } = await connectIn(command);
  const period = { 'period.from': options.from, 'period.to': options.to, 'period.granularity': options.granularity };
  // The platform knows the names and rejects others.
  const input = { path: { name }, query: period, signal: interruption.signal } as Input<Series>;
  const { metrics } = await client.call('metricsvc.metrics.series-of-query', input);
  if (options.plot) return void process.stdout.write(`${drawn(metrics)}\n`);
  printRows(output, metrics, [
    ['TIME', ({ timestamp }) => timestamp],
    ['VALUE', ({ value }) => value],
  ]);
}

type Series = 'metricsvc.metrics.series-of-query';

/** A line chart that is as wide as most terminals, with the first and the last time below. */
function drawn(points: Point[]): string {
  const [start, end] = [points[0], points.at(-1)];
  if (!start || !end) return 'There are no values in this period.';
  const width = Math.min(points.length, PLOT_WIDTH);
  const values = Array.from({ length: width }, (_, at) => {
    const index = width === 1 ? 0 : Math.round((at * (points.length - 1)) / (width - 1));
    return points[index]!.value;
  });
  return `${plot(values, { height: PLOT_HEIGHT })}\n${printable(`${start.timestamp} – ${end.timestamp}`)}`;
}
