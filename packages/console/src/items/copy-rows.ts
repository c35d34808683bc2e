import { paginate } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { contentOf, MAX_ITEMS } from './model';

/** Copies the items of one version of a collection into another. */
export async function copyRows(
  client: Client,
  id: string,
  { from, to }: { from: string; to: string },
  onProgress: (count: number) => void,
): Promise<void> {
  let batch: object[] = [];
  let count = 0;
  const add = async () => {
    if (batch.length === 0) return;
    const input = { path: { id }, query: { userItemVersionId: to, transactional: true }, body: batch };
    await client.call('itemsvc.relatedItems.createMany', input as never);
    count += batch.length;
    batch = [];
    onProgress(count);
  };
  const query = { userItemVersionId: from, _pageSize: MAX_ITEMS };
  for await (const row of paginate(client, 'itemsvc.relatedItems.list', { path: { id }, query })) {
    batch.push(contentOf(row));
    if (batch.length === MAX_ITEMS) await add();
  }
  await add();
}
