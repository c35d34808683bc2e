import { Button, Group } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Input, Select } from './inputs';
import { useParameter } from '../address';
import { useText } from '../messages/text';

const HOUR_MS = 3_600_000;
const SPANS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS };
type Name = keyof typeof SPANS_MS;
const REFRESH_MS = 30_000;

/** The current time, which advances as often as pages are refreshed. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The period that the user has chosen, which the address holds: the last day, say, two dates, or a part of either. */
export function useRange(initial: Name) {
  const now = useNow();
  const [name, setName] = useParameter('range');
  const [from, setFrom] = useParameter('from');
  const [to, setTo] = useParameter('to');
  const [zoom, setZoom] = useParameter('zoom');
  const span = SPANS_MS[Object.hasOwn(SPANS_MS, name) ? (name as Name) : initial];
  const isCustom = name === 'custom';
  const end = (isCustom && Date.parse(to)) || now;
  const start = (isCustom && Date.parse(from)) || end - span;
  const [zoomFrom = NaN, zoomTo = NaN] = zoom.split('_').map(Number);
  const isZoomed = zoomFrom < zoomTo;
  const fromMs = isZoomed ? zoomFrom : Math.min(start, end - 1);
  return {
    ...{ name: name || initial, setName, from, setFrom, to, setTo, isZoomed },
    fromMs,
    toMs: isZoomed ? zoomTo : end,
    setZoom: (fromMs?: number, toMs?: number) => setZoom(fromMs === undefined ? '' : `${fromMs}_${toMs}`),
  };
}
export type Range = ReturnType<typeof useRange>;

/** The inputs for a period. */
export function RangeInput({ range, names }: { range: Range; names: Name[] }) {
  const { text } = useText();
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label={text('range.title')}
        data={[...names, 'custom' as const].map((value) => ({ value, label: text(`range.${value}`) }))}
        value={range.name}
        onChange={(value) => {
          range.setZoom();
          range.setName(value);
        }}
      />
      {range.name === 'custom' && (
        <>
          <Input type="datetime-local" label={text('range.from')} value={range.from} onChange={range.setFrom} />
          <Input type="datetime-local" label={text('range.to')} value={range.to} onChange={range.setTo} />
        </>
      )}
      {range.isZoomed && (
        <Button variant="default" onClick={() => range.setZoom()}>
          {text('plot.reset')}
        </Button>
      )}
    </Group>
  );
}
