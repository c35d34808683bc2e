import { Presets, SingleBar } from 'cli-progress';
import { bytesText, printable } from './output.js';

export interface Progress {
  update(value: number, total: number): void;
  stop(): void;
}

/** A progress bar on a terminal; nothing elsewhere. */
export function createProgress(title: string, inBytes = true): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const text = (value: number) => (inBytes ? bytesText(value) : `${value}`);
  const format = `${printable(title)} {bar} {percentage}%${inBytes ? ' {text}' : ''}`;
  const bar = new SingleBar(
    { format, clearOnComplete: false, hideCursor: true, stream: process.stderr },
    Presets.legacy,
  );
  bar.start(1, 0, { text: '' });
  return {
    update(value, total) {
      bar.setTotal(Math.max(1, total));
      bar.update(value, { text: `${text(value)} of ${text(total)}` });
    },
    stop: () => bar.stop(),
  };
}
