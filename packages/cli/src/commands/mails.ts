import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, timeText } from '../output.js';

type Mail = EntryOf<'passportsvc.mails.list'>;

export function addMails(program: Command): void {
  const mails = program.command('mails').description('find out why mails do not arrive, as an administrator');
  const list = mails
    .command('ls')
    .description('list mails, newest first')
    .option('--status <status>', 'only QUEUED, SENT or FAILED mails');
  asList<Mail, { status?: Mail['_status'] }>(list, {
    isInNamespace: false,
    read: ({ client, signal }, { status }) =>
      paginate(client, 'passportsvc.mails.list', { query: { _status: status }, signal }),
    columns: [
      ['TIME', ({ _createdAt }) => timeText(_createdAt)],
      ['TO', ({ _to }) => _to],
      ['SUBJECT', ({ _subject }) => _subject],
      ['STATUS', ({ _status }) => _status],
      ['REASON', ({ _reason }) => _reason],
    ],
  });
  mails
    .command('test')
    .argument('<address>', 'where to send it')
    .description('send a test mail')
    .action(async (_to: string, _, command: Command) => {
      const { client } = await connect(command);
      await client.call('passportsvc.mails.sendTest', { body: { _to }, signal: interruption.signal });
      note(`Queued a mail to ${_to}. "dt mails ls" shows its status.`);
    });
}
