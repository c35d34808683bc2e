import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, timeText } from '../output.js';

type Queue = EntryOf<'passportsvc.queues.list'>;
type Message = EntryOf<'passportsvc.queues.listFailing'>;

export function addQueues(program: Command): void {
  const queues = program.command('queues').description('see the queues of all services, as an administrator');
  asList<Queue>(queues.command('ls').description('list queues'), {
    isInNamespace: false,
    read: ({ client, signal }) => paginate(client, 'passportsvc.queues.list', { signal }),
    columns: [
      ['QUEUE', ({ _id }) => _id],
      ['WAITING', ({ _waiting }) => String(_waiting)],
      ['ACTIVE', ({ _active }) => String(_active)],
      ['DELAYED', ({ _delayed }) => String(_delayed)],
      ['FAILING', ({ _failing }) => String(_failing)],
      ['WORKER SEEN', ({ _workerSeenAt }) => timeText(_workerSeenAt)],
    ],
  });
  const failing = queues
    .command('failing')
    .argument('<queue>', 'its name')
    .description('list messages that keep failing, with the reason');
  asList<Message>(failing, {
    isInNamespace: false,
    read: ({ client, signal }, _options, id: string) =>
      paginate(client, 'passportsvc.queues.listFailing', { path: { id }, signal }),
    columns: [
      ['MESSAGE', ({ _id }) => _id],
      ['NAME', ({ _name }) => _name],
      ['ATTEMPTS', ({ _attempts }) => String(_attempts)],
      ['NEXT ATTEMPT', ({ _nextAttemptAt }) => timeText(_nextAttemptAt)],
      ['REASON', ({ _reason }) => _reason],
    ],
  });
  addChange(queues, 'retry', 'retry failing messages now');
  addChange(queues, 'discard', 'end failing messages without doing their work');
}

const DONE = { retry: 'retried', discard: 'discarded' };

const addChange = (queues: Command, change: 'retry' | 'discard', description: string) =>
  queues
    .command(change)
    .argument('<queue>', 'its name')
    .argument('<message...>', 'the ids of the messages')
    .description(description)
    .action(async (id: string, _messageIds: string[], _, command: Command) => {
      const { client } = await connect(command);
      const options = { path: { id }, body: { _messageIds }, signal: interruption.signal };
      const changed = await client.call(`passportsvc.queues.${change}`, options);
      const count = changed._messageIds.length;
      note(`${count} of ${_messageIds.length} messages ${DONE[change]}. The others have ended or are being processed.`);
    });
