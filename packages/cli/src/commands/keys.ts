import type { Output as Body } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, printFields, timeText } from '../output.js';

type Key = Body<'passportsvc.signingKeys.rotate'>;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('list and rotate the keys that sign tokens, as an administrator');
  asList<Key>(keys.command('ls').description('list the keys and the state of their rotation'), {
    isInNamespace: false,
    async *read({ client, signal }) {
      yield* (await client.call('passportsvc.signingKeys.list', { signal }))._list;
    },
    columns: [
      ['ID', ({ _id }) => _id],
      ['ALGORITHM', ({ _algorithm }) => _algorithm],
      ['STATE', ({ _state }) => _state],
      ['FROM', ({ _activeFrom }) => timeText(_activeFrom)],
      ['NEEDED UNTIL', ({ _until }) => timeText(_until)],
    ],
  });
  keys
    .command('rotate')
    .description('publish a new key, which replaces the current one after a lead time')
    .action(async (_, command: Command) => {
      const { client, output } = await connect(command);
      const key = await client.call('passportsvc.signingKeys.rotate', { signal: interruption.signal });
      printFields(output, key, { id: key._id, state: key._state, from: timeText(key._activeFrom) });
    });
  keys
    .command('rm')
    .argument('<id>', 'its id')
    .description('remove a key that no valid token needs')
    .action(async (id: string, _, command: Command) => {
      const { client } = await connect(command);
      await client.call('passportsvc.signingKeys.retire', { path: { id }, signal: interruption.signal });
      note(`Removed ${id}.`);
    });
}
