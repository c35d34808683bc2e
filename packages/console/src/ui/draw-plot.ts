import type uPlot from 'uplot';

export interface Series {
  label: string;
  points: [timeMs: number, value: number][];
}

interface Settings {
  series: Series[];
  range?: [fromMs: number, toMs: number];
  isDark: boolean;
  language: string;
  height: number;
  write: (value: number) => string;
  /** The time below the pointer. */
  onPoint: (ms?: number) => void;
  onZoom?: (fromMs: number, toMs: number) => void;
}

export interface Drawn {
  resize: (width: number) => void;
  destroy: () => void;
}

/** Colours with a contrast of at least 3:1 on the background. Dashes tell the lines apart without colours. */
const COLORS = {
  light: ['#1864ab', '#c92a2a', '#2b8a3e', '#862e9c', '#a15000', '#0b7285'],
  dark: ['#74c0fc', '#ff8787', '#8ce99a', '#e599f7', '#ffc078', '#66d9e8'],
};
const DASHES = [[], [10, 5], [3, 4], [12, 4, 3, 4], [6, 3], [2, 6]];
/** How the line of a series looks. */
export const lineOf = (index: number, isDark: boolean) => ({
  color: COLORS[isDark ? 'dark' : 'light'][index % DASHES.length]!,
  dash: DASHES[index % DASHES.length]!,
});

const MIN_DRAG_PX = 8;
const CHARACTER_PX = 7;

/** Draws lines over time with uPlot, which is loaded now. */
export async function drawPlot(place: HTMLElement, settings: Settings): Promise<Drawn> {
  const { series, range, isDark, language, height, write, onPoint, onZoom } = settings;
  const [{ default: UPlot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  const seconds = ({ points }: Series): uPlot.AlignedData => [
    points.map(([ms]) => ms / 1000),
    points.map(([, value]) => value),
  ];
  const data: uPlot.AlignedData =
    series.length > 1 ? UPlot.join(series.map(seconds)) : series[0] ? seconds(series[0]) : [[], []];
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const axis = {
    font,
    stroke: isDark ? '#c9c9c9' : '#495057',
    grid: { stroke: isDark ? '#424242' : '#dee2e6', width: 1 },
  };
  const whole = range && spanOf(...range);
  const options: uPlot.Options = {
    ...{ width: place.clientWidth || 300, height, legend: { show: false } },
    cursor: { drag: { x: Boolean(onZoom), y: false, setScale: false } },
    scales: { x: { range: (_plot, min, max) => whole ?? around(min, max) } },
    axes: [
      { ...axis, space: 80, values: (_plot, ticks, _axis, _space, stepSec) => timesOf(ticks, stepSec, language) },
      { ...axis, values: (_plot, ticks) => ticks.map(write), size: (_plot, ticks) => widthOf(ticks) },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => {
        const { color, dash } = lineOf(index, isDark);
        // Times of other series are no gaps.
        return {
          label,
          stroke: color,
          width: 2,
          dash,
          spanGaps: true,
          points: { show: data[0].length < 60, fill: color },
        };
      }),
    ],
    hooks: {
      setCursor: [
        ({ cursor, data }) =>
          onPoint(typeof cursor.idx === 'number' ? Math.round(data[0][cursor.idx]! * 1000) : undefined),
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < MIN_DRAG_PX) return;
          const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onZoom?.(Math.floor(from * 1000), Math.ceil(to * 1000));
        },
      ],
    },
  };
  const drawn = new UPlot(options, data, place);
  return { resize: (width) => void (width > 0 && drawn.setSize({ width, height })), destroy: () => drawn.destroy() };
}

/** In seconds. */
type Span = [from: number, to: number];
const HOUR_SEC = 3600;
const spanOf = (fromMs: number, toMs: number): Span => [fromMs / 1000, toMs / 1000];
/** A single point has a span around it. */
const around = (min: number, max: number): Span => (min < max ? [min, max] : [min - HOUR_SEC, max + HOUR_SEC]);

const widthOf = (ticks: string[] | null) =>
  24 + CHARACTER_PX * Math.max(3, ...(ticks ?? []).map(({ length }) => length));

const DAY_SEC = 86_400;

/** Times in the language of the user; the first one and each midnight have the date, too. */
function timesOf(ticks: number[], stepSec: number, language: string): string[] {
  const seconds = stepSec < 60 ? ({ second: '2-digit' } as const) : {};
  const time = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', ...seconds });
  const date = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  return ticks.map((tick, index) => {
    const at = new Date(tick * 1000);
    if (stepSec >= DAY_SEC) return date.format(at);
    const isNewDay = index === 0 || at.getHours() * 60 + at.getMinutes() + at.getSeconds() === 0;
    return isNewDay ? `${time.format(at)}\n${date.format(at)}` : time.format(at);
  });
}
