import { Checkbox, Stack, Text, Title } from '@mantine/core';
import { useText } from '../frame';
import { Table } from '../ui';
import { useNow } from '../ui/range';
import { numbersIn } from './use-latest';
import type { Latest } from './use-latest';

interface SourceTableProps {
  sources: { id: string; name: string }[];
  latest: Latest;
  /** The ids of the sources that the plot shows. */
  shown: string[];
  maxShown: number;
  onShow: (ids: string[]) => void;
}

/** When each source sent its latest reading: those that have been silent for longest first. */
export function SourceTable({ sources, latest, shown, maxShown, onShow }: SourceTableProps) {
  const { text, number, time } = useText();
  const now = useNow();
  const age = useAge(now);
  const today = new Date(now).setHours(0, 0, 0, 0);
  const rows = sources
    .map(({ id, name }) => ({ id, name, reading: latest.get(id), at: timeOf(latest.get(id)?._ts) }))
    .toSorted((one, other) => one.at - other.at);
  const silent = rows.filter(({ at }) => at < today);
  const toggle = (id: string) => onShow(shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id]);
  return (
    <Stack component="section" gap="xs">
      <Title order={3} size="h4">
        {text('telemetry.sources')}
      </Title>
      <Text role="status">
        {silent.length === 0
          ? text('telemetry.allSent', { count: rows.length })
          : text('telemetry.someSilent', { silent: silent.length, count: rows.length })}
      </Text>
      {shown.length >= maxShown && <Text size="sm">{text('telemetry.maxShown', { max: maxShown })}</Text>}
      <Table
        isBoxed
        label={text('telemetry.sources')}
        head={(['inPlot', 'source', 'today', 'latest', 'values'] as const).map((key) => text(`telemetry.${key}`))}
        rows={rows.map(({ id, name, reading, at }) => ({
          key: id,
          cells: [
            <Checkbox
              aria-label={text('telemetry.showSource', { name })}
              checked={shown.includes(id)}
              disabled={!shown.includes(id) && shown.length >= maxShown}
              onChange={() => toggle(id)}
            />,
            name,
            at < today ? <strong>{text('telemetry.silent')}</strong> : text('telemetry.sent'),
            reading ? `${age(at)} (${time(at)})` : text('list.never'),
            reading &&
              numbersIn(reading)
                .map(([field, value]) => `${field} ${number(value)}`)
                .join(', '),
          ],
        }))}
      />
    </Stack>
  );
}

/** Sources without readings come first. */
const timeOf = (iso: string | undefined) => (iso === undefined ? -Infinity : Date.parse(iso));

const UNITS_SEC = { day: 86_400, hour: 3600, minute: 60, second: 1 } as const;

/** Writes times as "5 minutes ago". */
function useAge(now: number) {
  const { language } = useText();
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  return (at: number) => {
    const seconds = (at - now) / 1000;
    const units = Object.entries(UNITS_SEC) as [keyof typeof UNITS_SEC, number][];
    const [unit, sec] = units.find(([, sec]) => Math.abs(seconds) >= sec) ?? ['second', 1];
    return format.format(Math.round(seconds / sec), unit);
  };
}
