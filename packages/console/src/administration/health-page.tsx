import { Stack, Text, Title } from '@mantine/core';
import type { Output } from '@dtplatform/sdk';
import { useCall, useParameter, useText } from '../frame';
import { PageTitle, Pending, Select, Table } from '../ui';
import { Plot } from '../ui/plot';

type Health = Output<'passportsvc.health.read'>;
type Process = Health['_processes'][number];
type Minute = Health['_services'][number]['_requests'][number];

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** The readiness of all processes, and the last hour of a service. */
export function HealthPage() {
  const { text } = useText();
  const health = useCall('passportsvc.health.read', {});
  const [chosen, choose] = useParameter('service');
  const services = health.data?._services ?? [];
  const service = services.find(({ _name }) => _name === chosen) ?? services[0];
  const processes = health.data?._processes ?? [];
  const unready = processes.filter(({ _state }) => _state !== 'READY');
  return (
    <Stack>
      <PageTitle>{text('health.title')}</PageTitle>
      <Text>{text('health.help')}</Text>
      <Pending of={[health]} />
      {health.data && (
        <>
          <Text role="status" c={unready.length > 0 ? 'red.9' : undefined}>
            {unready.length > 0
              ? text('health.unready', { count: unready.length, total: processes.length })
              : text('health.allReady', { total: processes.length })}
          </Text>
          <Processes processes={processes} />
        </>
      )}
      {service && (
        <>
          <Title order={3} size="h4">
            {text('health.lastHour')}
          </Title>
          <Select
            label={text('health.service')}
            data={services.map(({ _name }) => _name)}
            value={service._name}
            onChange={choose}
          />
          <Traffic of={text('health.requests')} minutes={service._requests} />
          {service._jobs.length > 0 && <Traffic of={text('health.jobs')} minutes={service._jobs} />}
        </>
      )}
    </Stack>
  );
}

function Processes({ processes }: { processes: Process[] }) {
  const { text, time } = useText();
  const titles = [
    'health.process',
    'health.host',
    'list.status',
    'health.failing',
    'health.startedAt',
    'health.seenAt',
  ] as const;
  return (
    <Table
      label={text('health.processes')}
      head={titles.map((title) => text(title))}
      rows={processes.map(({ _id, _name, _host, _state, _checks, _startedAt, _seenAt }) => ({
        key: _id,
        cells: [
          _name,
          _host,
          <Text key="state" c={_state === 'READY' ? undefined : 'red.9'}>
            {text(`health.${_state}`)}
          </Text>,
          Object.keys(_checks)
            .filter((name) => _checks[name] === 'failing')
            .join(', '),
          time(_startedAt),
          time(_seenAt),
        ],
      }))}
    />
  );
}

/** How many there were in each minute of the last hour, and how long they took. */
function Traffic({ of: kind, minutes }: { of: string; minutes: Minute[] }) {
  const { text, number } = useText();
  const toMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const range: [number, number] = [toMs - (MINUTES - 1) * MINUTE_MS, toMs];
  const times = Array.from({ length: MINUTES }, (_, index) => range[0] + index * MINUTE_MS);
  const known = new Map(minutes.map((minute) => [minute._at, minute]));
  const counts = (read: (minute: Minute) => number) =>
    times.map((at): [number, number] => [at, known.has(at) ? read(known.get(at)!) : 0]);
  const delays = (read: (minute: Minute) => number | undefined) =>
    minutes.flatMap((minute): [number, number][] => {
      const ms = read(minute);
      return ms === undefined ? [] : [[minute._at, ms]];
    });
  return (
    <>
      <Text fw="bold">{text('health.perMinute', { kind })}</Text>
      <Plot
        label={text('health.perMinute', { kind })}
        series={[
          { label: kind, points: counts(({ _count }) => _count) },
          { label: text('health.errors'), points: counts(({ _errors }) => _errors) },
        ]}
        range={range}
      />
      <Text fw="bold">{text('health.delays', { kind })}</Text>
      <Plot
        label={text('health.delays', { kind })}
        series={[
          { label: text('health.median'), points: delays(({ _medianMs }) => _medianMs) },
          { label: text('health.p95'), points: delays(({ _p95Ms }) => _p95Ms) },
        ]}
        range={range}
        format={(ms) => `${number(ms)} ms`}
      />
    </>
  );
}
