import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_PATH, itemsOf } from '../items.js';
import type { Row } from '../row.js';

export const protectedGet: Row = {
  row: 'protected-get',
  unit: 'request',
  reach: 0.95,
  about: 'items by their ids with a bearer token; beside the same service with authentication and permissions off',
  async prepare(bench) {
    const ids = await itemsOf(bench);
    const headers = { authorization: `Bearer ${bench.token}` };
    const requestsOf = (service: string) => {
      const { url, pid } = bench.serviceOf(service);
      return { urls: ids.map((id) => `${url}${ITEMS_PATH}/${id}?nsfilter=${bench.namespace}`), headers, pid };
    };
    const [ours, reference] = [requestsOf('itemsvc'), requestsOf('openitemsvc')];
    await assertSameJson([ours.urls[0]!, reference.urls[0]!], headers);
    return { ours: httpSide(ours), reference: httpSide(reference) };
  },
};
