import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { printFields, timeText } from '../output.js';

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
}
