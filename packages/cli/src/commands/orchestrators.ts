import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect, connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { positive } from '../options.js';
import { printFields, printRows, timeText } from '../output.js';

export function addOrchestrators(program: Command): void {
  const orchestrators = program.command('orchestrators').description('show orchestrators; start them with: dt runs');
  const ls = orchestrators.command('ls').description('list orchestrators');
  asList<EntryOf<'datasourcesvc.orchestrators.list'>>(ls, {
    read: ({ client, signal }, { limit }) =>
      paginate(client, 'datasourcesvc.orchestrators.list', { query: { _pageSize: Math.min(limit, 1000) }, signal }),
    columns: [
      ['NAME', ({ _name }) => _name],
      ['CLASS', (each) => each._class],
      ['TYPE', ({ _userType }) => _userType],
      ['CHANGED', ({ _updatedat }) => timeText(_updatedat)],
      ['ID', ({ id }) => id],
    ],
  });
  orchestrators
    .command('get')
    .argument('<id>', 'its id')
    .description('show an orchestrator with its steps')
    .action(async (id: string, _, command: Command) => {
      const { client, output } = await connectIn(command);
      const { signal } = interruption;
      printFields(output, await client.call('datasourcesvc.orchestrators.get', { path: { id }, signal }));
    });
  const times = orchestrators.command('times').description('list when a schedule would be due next');
  times
    .option('--cron <expression>', 'such as "30 2 * * MON-FRI"')
    .option('--timezone <name>', 'the time zone of --cron, such as Europe/Berlin; UTC by default')
    .option('--interval <duration>', 'hours, minutes and seconds between runs, such as "1 30 *"')
    .option('--count <number>', 'how many times', positive, 5)
    .action(async ({ count, interval, ...schedule }: TimesOptions, command: Command) => {
      const { client, output } = await connect(command);
      const body = { ...schedule, runinterval: interval };
      const { signal } = interruption;
      const { times } = await client.call('datasourcesvc.schedules.times', { query: { count }, body, signal });
      printRows(
        output,
        times.map((time) => ({ time })),
        [['TIME', ({ time }) => timeText(time)]],
      );
    });
}

interface TimesOptions {
  cron?: string;
  timezone?: string;
  interval?: string;
  count: number;
}
