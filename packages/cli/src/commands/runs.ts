import { paginate, waitForRun } from '@dtplatform/sdk';
import type { Client, EntryOf, Run } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { first } from '../first.js';
import { interruption } from '../interruption.js';
import { json, positive } from '../options.js';
import { note, printable, printFields, printRows, timeText } from '../output.js';
import type { Output } from '../output.js';
import { createProgress } from '../progress.js';

interface StartOptions {
  params?: unknown;
  watch?: boolean;
}

export function addRuns(program: Command): void {
  const runs = program.command('runs').description('start and follow runs of orchestrators');
  runs
    .command('start')
    .argument('<orchestrator>', 'its id')
    .option('--params <json>', 'parameters of steps: \'[{"_sequenceno": 1, "params": {…}}]\'', json)
    .option('--watch', 'wait until the run has ended')
    .description('start a run')
    .action(async (id: string, { params, watch }: StartOptions, command: Command) => {
      const { client, isJson } = await connectIn(command);
      const body = params === undefined ? {} : { _actualparams: params as never };
      const { signal } = interruption;
      const run = await client.call('datasourcesvc.orchestrators.run', { path: { id }, body, signal });
      if (watch) return follow(client, run.id, { isJson });
      printRun(run, { isJson });
    });
  runs
    .command('watch')
    .argument('<run>', 'its id')
    .description('wait until a run has ended')
    .action(async (id: string, _, command: Command) => {
      const { client, isJson } = await connectIn(command);
      await follow(client, id, { isJson });
    });
  runs
    .command('ls')
    .option('--limit <number>', 'the maximum number of entries', positive, 25)
    .description('list runs')
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const { client, isJson } = await connectIn(command);
      const { signal } = interruption;
      const query = { _pageSize: Math.min(limit, 1000) };
      const rows = await first(limit, paginate(client, 'datasourcesvc.runs.list', { query, signal }));
      printRows({ isJson }, rows, [
        ['NAME', (run: EntryOf<'datasourcesvc.runs.list'>) => run._name],
        ['STATUS', ({ _status }) => _status],
        ['STARTED', ({ _createdat }) => timeText(_createdat)],
        ['ID', ({ id }) => id],
      ]);
    });
}

/** Waits for the end of a run. Ctrl-C stops waiting; the run continues. */
async function follow(client: Client, id: string, output: Output): Promise<void> {
  const progress = createProgress(id, false);
  let status: string | undefined;
  try {
    const run = await waitForRun(client, id, {
      signal: interruption.signal,
      onProgress({ _progress, _status }) {
        progress.update(_progress, 100);
        if (_status !== status && !process.stderr.isTTY) note(`${id} ${printable(_status)}`);
        status = _status;
      },
    });
    progress.stop();
    printRun(run, output);
  } finally {
    progress.stop();
  }
}

function printRun(run: Run, { isJson }: Output): void {
  const shown = { id: run.id, status: run._status, message: run._statusmsg || undefined, result: run._result };
  printFields({ isJson }, isJson ? { ...run } : shown);
}
