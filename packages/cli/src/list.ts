import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import { connect, connectIn } from './connect.js';
import type { Connection } from './connect.js';
import { first } from './first.js';
import { interruption } from './interruption.js';
import { positive } from './options.js';
import { printRows } from './output.js';
import type { Column } from './output.js';

interface ListOptions {
  limit: number;
  watch?: number | true;
}

export interface Listing<Row, Options> {
  /** The maximum number of entries. Default 100. */
  limit?: number;
  /** Whether the list is one of a namespace. Default true. */
  isInNamespace?: boolean;
  read: (
    connection: Connection & { signal: AbortSignal },
    options: Options & { limit: number },
    ...args: never[]
  ) => AsyncIterable<Row>;
  columns: Column<Row>[] | ((rows: Row[]) => Column<Row>[]);
}

const WATCH_SEC = 2;
const CLEAR = '\u001b[H\u001b[2J';

/** Makes a command one that prints a list, once or repeatedly. */
export function asList<Row, Options = object>(command: Command, listing: Listing<Row, Options>): void {
  const { limit = 100, isInNamespace = true, read, columns } = listing;
  command
    .option('--limit <number>', 'the maximum number of entries', positive, limit)
    .addOption(new Option('--watch [seconds]', 'repeat until Ctrl-C').preset(WATCH_SEC).argParser(positive))
    .action(async (...all: unknown[]) => {
      const [options, self] = all.slice(-2) as [Options & ListOptions, Command];
      const connection = await (isInNamespace ? connectIn : connect)(self);
      const { signal } = interruption;
      for (;;) {
        const entries = read({ ...connection, signal }, options, ...(all.slice(0, -2) as never[]));
        const rows = await first(options.limit, entries);
        if (options.watch !== undefined && process.stdout.isTTY) process.stdout.write(CLEAR);
        printRows(connection.output, rows, typeof columns === 'function' ? columns(rows) : columns);
        if (options.watch === undefined) return;
        await pause(Number(options.watch), signal);
      }
    });
}

/** Rejects with the reason of the signal. */
async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted());
}
