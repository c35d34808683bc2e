import { z } from 'zod';
import { serveComponent } from '@dtplatform/component-worker';
import type { ServedComponent, ServeOptions } from '@dtplatform/component-worker';
import { createServiceClient } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';

/** The worked example of docs/components.md. */
const countItems = (itemsvc: ServiceClient): ServedComponent<{ userType: string }> => ({
  name: 'count_items',
  description: 'Counts the items of a user type.',
  mayRunAgain: true,
  params: z.object({ userType: z.string().min(1) }),
  async run({ userType }, { namespace, starter, signal, progress, log }) {
    const query = { nsfilter: namespace, query: JSON.stringify({ _userType: userType }), _pageSize: 0 };
    const path = '/itemsvc/api/v1/nameduseritems';
    const { _total } = await itemsvc.call({ path, query, as: starter, signal }, z.object({ _total: z.number() }));
    progress(100, 'counted');
    log(`There are ${_total} items.`);
    return { count: _total };
  },
});

/** The worker process of the example, after it has read its settings. */
export async function serveCountItems(itemsvcUrl: string, options: ServeOptions) {
  const itemsvc = createServiceClient({ baseUrl: itemsvcUrl });
  const worker = await serveComponent(countItems(itemsvc), options);
  return {
    async stop(graceMs: number) {
      await worker.stop(graceMs);
      await itemsvc.close();
    },
  };
}
