import { Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import { useMutation } from '@tanstack/react-query';
import { csvOf, saveText } from '../csv';
import { useParameter, useText } from '../frame';
import { client } from '../session';
import { Failure, Input, PageTitle, ResourceTable } from '../ui';
import { RangeInput, useRange } from '../ui/range';

type Entry = EntryOf<'passportsvc.audit.list'>;

const TYPING_MS = 300;
const HOUR_MS = 3_600_000;
const EXPORT_PAGE = 1000;

/** Who changed what, and who signed in. The address holds the filter. */
export function AuditPage() {
  const { text } = useText();
  const range = useRange('week');
  const [byId, setById] = useParameter('by');
  const [resourceId, setResourceId] = useParameter('resource');
  const [operation, setOperation] = useParameter('operation');
  const [typed] = useDebouncedValue({ byId, resourceId, operation }, TYPING_MS);
  // Full hours: the current time would start the list anew with each refresh.
  const query = {
    _from: Math.floor(range.fromMs / HOUR_MS) * HOUR_MS,
    ...(range.name === 'custom' && range.to !== '' && { _to: range.toMs }),
    ...(typed.byId && { _byId: typed.byId }),
    ...(typed.resourceId && { _resourceId: typed.resourceId }),
    ...(typed.operation && { _operation: typed.operation }),
  };
  return (
    <Stack>
      <PageTitle>{text('audit.title')}</PageTitle>
      <Text>{text('audit.help')}</Text>
      <Group align="flex-end">
        <RangeInput range={range} names={['day', 'week', 'month']} />
        <Input label={text('audit.byId')} value={byId} onChange={setById} />
        <Input label={text('audit.resourceId')} value={resourceId} onChange={setResourceId} />
        <Input
          label={text('audit.operation')}
          placeholder={text('audit.operationHelp')}
          value={operation}
          onChange={setOperation}
        />
        <Export query={query} />
      </Group>
      <ResourceTable
        operation="passportsvc.audit.list"
        input={{ query }}
        label={text('audit.title')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('audit.operation'), value: ({ _operation }) => _operation },
          { title: text('audit.by'), value: ({ _byName, _byId }) => _byName ?? _byId },
          { title: text('list.status'), value: ({ _status }) => <Outcome status={_status} /> },
          { title: text('audit.resources'), value: ({ _resourceIds }) => _resourceIds.join(' ') },
          { title: text('audit.address'), value: ({ _address }) => _address },
          { title: text('audit.at'), time: ({ _at }) => _at },
        ]}
        empty={text('audit.none')}
      />
    </Stack>
  );
}

function Outcome({ status }: { status: number | undefined }) {
  const { text } = useText();
  if (status === undefined) return text('audit.running');
  if (status < 400) return text('audit.done');
  return text(status < 500 ? 'audit.rejected' : 'audit.failed', { status });
}

function Export({ query }: { query: object }) {
  const { text } = useText();
  const save = useMutation({
    mutationFn: async () => {
      const rows: Entry[] = [];
      // Later entries would shift the pages.
      const wanted = { _to: Date.now(), ...query, _pageSize: EXPORT_PAGE };
      for await (const entry of paginate(client, 'passportsvc.audit.list', { query: wanted })) rows.push(entry);
      saveText('audit.csv', csvOf([HEAD, ...rows.map(cellsOf)]), 'text/csv');
    },
  });
  return (
    <>
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        {text('audit.export')}
      </Button>
      {save.error && <Failure error={save.error} retry={() => save.mutate()} />}
    </>
  );
}

const FIELDS = [
  ...(['_operation', '_byId', '_byName', '_actorId', '_appId'] as const),
  ...(['_status', '_resourceIds', '_address', '_requestId'] as const),
];
const HEAD = ['_at', ...FIELDS];

const cellsOf = (entry: Entry) => [
  new Date(entry._at).toISOString(),
  ...FIELDS.map((field) => String(entry[field] ?? '')),
];
