import { paginate, waitForRun } from '@dtplatform/sdk';
import type { Client, EntryOf, Run } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { json } from '../options.js';
import { note, printable, printFields, timeText } from '../output.js';
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
      const { client, output } = await connectIn(command);
      const body = params === undefined ? {} : { _actualparams: params as never };
      const { signal } = interruption;
      const run = await client.call('datasourcesvc.orchestrators.run', { path: { id }, body, signal });
      if (watch) return follow(client, run.id, output);
      printRun(run, output);
    });
  runs
    .command('watch')
    .argument('<run>', 'its id')
    .description('wait until a run has ended')
    .action(async (id: string, _, command: Command) => {
      const { client, output } = await connectIn(command);
      await follow(client, id, output);
    });
  asList<EntryOf<'datasourcesvc.runs.list'>>(runs.command('ls').description('list runs'), {
    limit: 25,
    read: ({ client, signal }, { limit }) =>
      paginate(client, 'datasourcesvc.runs.list', { query: { _pageSize: Math.min(limit, 1000) }, signal }),
    columns: [
      ['NAME', ({ _name }) => _name],
      ['STATUS', ({ _status }) => _status],
      ['STARTED', ({ _createdat }) => timeText(_createdat)],
      ['ID', ({ id }) => id],
    ],
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

function printRun(run: Run, output: Output): void {
  const shown = { id: run.id, status: run._status, message: run._statusmsg || undefined, result: run._result };
  printFields(output, run, shown);
}
