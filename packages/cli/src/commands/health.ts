import type { Output } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { asList } from '../list.js';
import { timeText } from '../output.js';

type Process = Output<'passportsvc.health.read'>['_processes'][number];

export function addHealth(program: Command): void {
  asList<Process>(program.command('health').description('show the readiness of all services, as an administrator'), {
    isInNamespace: false,
    async *read({ client, signal }) {
      yield* (await client.call('passportsvc.health.read', { signal }))._processes;
    },
    columns: [
      ['PROCESS', ({ _name }) => _name],
      ['HOST', ({ _host }) => _host],
      ['STATE', ({ _state }) => _state],
      [
        'FAILING',
        ({ _checks }) =>
          Object.keys(_checks)
            .filter((name) => _checks[name] === 'failing')
            .join(' '),
      ],
      ['STARTED', ({ _startedAt }) => timeText(_startedAt)],
      ['SEEN', ({ _seenAt }) => timeText(_seenAt)],
    ],
  });
}
