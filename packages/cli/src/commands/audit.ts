import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { asList } from '../list.js';
import { timeText } from '../output.js';
import { UsageError } from '../usage-error.js';

type Entry = EntryOf<'passportsvc.audit.list'>;

interface Options {
  limit: number;
  by?: string;
  resource?: string;
  operation?: string;
  from?: string;
  to?: string;
}

const MAX_PAGE = 1000;

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('list who changed what, and who signed in, newest first, as an administrator')
    .option('--by <id>', 'only calls of this user or app')
    .option('--resource <id>', 'only calls that name or created this resource')
    .option('--operation <name>', 'only this operation, such as apps.update or signIn')
    .option('--from <time>', 'only calls at this time or later, such as 2026-01-31')
    .option('--to <time>', 'only calls before this time');
  asList<Entry, Options>(audit, {
    isInNamespace: false,
    read({ client, signal }, { limit, by, resource, operation, from, to }) {
      const query = {
        _pageSize: Math.min(limit, MAX_PAGE),
        ...{ _byId: by, _resourceId: resource, _operation: operation },
        ...{ _from: timeOf(from), _to: timeOf(to) },
      };
      return paginate(client, 'passportsvc.audit.list', { query, signal });
    },
    columns: [
      ['TIME', ({ _at }) => timeText(_at)],
      ['BY', ({ _byName, _byId }) => _byName ?? _byId],
      ['OPERATION', ({ _operation }) => _operation],
      ['STATUS', ({ _status }) => _status],
      ['ADDRESS', ({ _address }) => _address],
      ['RESOURCES', ({ _resourceIds }) => _resourceIds.join(' ')],
    ],
  });
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError(`"${text}" is not a time: use a form such as 2026-01-31T12:00Z.`);
  return time;
}
