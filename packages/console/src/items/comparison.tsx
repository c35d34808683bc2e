import { Stack, Text, Title } from '@mantine/core';
import { printed, useCall, useText } from '../frame';
import { Pending } from '../ui';
import { Difference } from '../ui/difference';
import { contentOf, isCollection, MAX_ITEMS } from './model';
import type { Item } from './model';

/** Two versions of an item with their differences marked. */
export function Comparison({ item, numbers }: { item: Item; numbers: string[] }) {
  const { text } = useText();
  const [before, after] = [useVersion(item, numbers[0]!), useVersion(item, numbers[1]!)];
  const isPartial = before.isPartial || after.isPartial;
  return (
    <Stack mt="md" gap="xs">
      <Title order={3} size="h5">
        {numbers.map((version) => text('versions.name', { version })).join(' → ')}
      </Title>
      {isPartial && <Text>{text('items.comparedFirst', { count: MAX_ITEMS })}</Text>}
      {before.text !== undefined && after.text !== undefined ? (
        <Difference before={before.text} after={after.text} />
      ) : (
        <Pending of={[...before.reads, ...after.reads]} />
      )}
    </Stack>
  );
}

/** A version as text: one line for each item, in an order that does not depend on when it was added. */
function useVersion(item: Item, number: string) {
  const path = { id: item._id };
  const query = { query: JSON.stringify({ _version: Number(number) }) };
  const found = useCall('itemsvc.versions.list', { path, query }, { refreshMs: false });
  const version = found.data?._list[0];
  const hasRows = isCollection(item);
  const rows = useCall(
    'itemsvc.relatedItems.list',
    { path, query: { userItemVersionId: version?._id, _pageSize: MAX_ITEMS } },
    { refreshMs: false, isEnabled: hasRows && version !== undefined },
  );
  const lines = hasRows ? rows.data?._list.map((row) => JSON.stringify(contentOf(row))).sort() : [];
  const { _userAttributes: attributes, _userData: data } = version ?? {};
  return {
    reads: [found, rows],
    isPartial: (rows.data?._total ?? 0) > MAX_ITEMS,
    text: version && lines && [printed({ attributes, data }), ...lines].join('\n'),
  };
}
