import { Button, Group, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../messages/text';
import { drawPlot, lineOf } from './draw-plot';
import type { Drawn, Series } from './draw-plot';
import { Table } from './table';

export interface PlotProps {
  /** Names the plot for screen readers. */
  label: string;
  series: Series[];
  /** The period to show. Defaults to that of the points. */
  range?: [fromMs: number, toMs: number];
  /** Called when the user has chosen a part of the period. Without it, users cannot. */
  onZoom?: (fromMs: number, toMs: number) => void;
  /** How values are written. */
  format?: (value: number) => string;
}

const HEIGHT_PX = 280;

/** A line plot over time. Its numbers are a text, too, and a table on demand. */
export function Plot({ format, ...props }: PlotProps) {
  const { text, number } = useText();
  const { label, series } = props;
  const write = format ?? number;
  const { ref: box, width } = useElementSize();
  const { place, drawn, at } = useDrawing({ ...props, write }, width);
  const [isTable, setTable] = useState(false);
  return (
    <Stack
      component="figure"
      gap="xs"
      m={0}
      ref={box as never}
      style={{ minWidth: 0, overflow: 'hidden' }}
      data-drawn={drawn}
    >
      <div ref={place} role="img" aria-label={label} style={{ height: HEIGHT_PX }} />
      <figcaption>
        <Summary label={label} series={series} at={at} write={write} />
      </figcaption>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
          {text(isTable ? 'plot.hideTable' : 'plot.showTable')}
        </Button>
        {props.onZoom && (
          <Text size="sm" c="dimmed">
            {text('plot.help')}
          </Text>
        )}
      </Group>
      {isTable && <Points label={label} series={series} write={write} />}
    </Stack>
  );
}

type Write = (value: number) => string;

/** Draws again what changes. */
function useDrawing(props: Omit<PlotProps, 'format'> & { write: Write }, width: number) {
  const { language } = useText();
  const isDark = useComputedColorScheme('light') === 'dark';
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(props);
  const [drawn, setDrawn] = useState<Drawn>();
  const [at, setAt] = useState<number>();
  const content = JSON.stringify([props.series, props.range]);
  useEffect(() => void (shown.current = props));
  useEffect(() => {
    const { series, range } = shown.current;
    const drawing = drawPlot(place.current!, {
      ...{ series, range, isDark, language, height: HEIGHT_PX, onPoint: setAt },
      write: (value) => shown.current.write(value),
      onZoom: shown.current.onZoom && ((from, to) => void shown.current.onZoom?.(from, to)),
    });
    void drawing.then(setDrawn);
    return () => void drawing.then(({ destroy }) => destroy());
  }, [content, isDark, language]);
  useEffect(() => drawn?.resize(width), [drawn, width]);
  return { place, drawn: drawn !== undefined, at };
}

interface PointsProps {
  label: string;
  series: Series[];
  write: Write;
}

/** What a plot shows, in words. */
function Summary({ label, series, write, at }: PointsProps & { at?: number }) {
  const { text, number, time } = useText();
  const isDark = useComputedColorScheme('light') === 'dark';
  const written = (value?: number) => (value === undefined ? '–' : write(value));
  return (
    <Table
      label={label}
      head={[
        ...(['plot.series', 'plot.count', 'telemetry.min', 'telemetry.max', 'plot.latest'] as const).map((key) =>
          text(key),
        ),
        at === undefined ? text('plot.pointer') : time(at),
      ]}
      rows={series.map(({ label, points }, index) => {
        const { color, dash } = lineOf(index, isDark);
        const values = points.map(([, value]) => value).toSorted((one, other) => one - other);
        return {
          key: index,
          cells: [
            <>
              <svg width="28" height="8" aria-hidden>
                <line x1="0" x2="28" y1="4" y2="4" stroke={color} strokeWidth="2" strokeDasharray={dash.join(' ')} />
              </svg>{' '}
              {label}
            </>,
            number(points.length),
            ...[values[0], values.at(-1), points.at(-1)?.[1]].map(written),
            at === undefined ? '' : written(points.find(([ms]) => ms === at)?.[1]),
          ],
        };
      })}
    />
  );
}

const MAX_ROWS = 1000;

function Points({ label, series, write }: PointsProps) {
  const { text, language } = useText();
  const columns = series.map(({ points }) => new Map(points));
  const times = [...new Set(columns.flatMap((column) => [...column.keys()]))].toSorted((one, other) => other - one);
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <Table
      isBoxed
      label={text('plot.tableOf', { label })}
      head={[text('list.time'), ...series.map(({ label }) => label)]}
      rows={times.slice(0, MAX_ROWS).map((ms) => ({
        key: ms,
        cells: [
          format.format(ms),
          ...columns.map((column) => {
            const value = column.get(ms);
            return value === undefined ? '' : write(value);
          }),
        ],
      }))}
    />
  );
}
