import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_PATH, itemsOf } from '../items.js';
import type { Row } from '../row.js';

export const protectedGet: Row = {
  row: 'protected-get',
  unit: 'requests/s',
  reach: 0.9,
  about: 'an item with a bearer token; beside the same service with authentication and permissions off',
  async prepare(bench) {
    const [id] = await itemsOf(bench);
    const headers = { authorization: `Bearer ${bench.token}` };
    const urls = ['itemsvc', 'openitemsvc'].map(
      (service) => `${bench.urlOf(service)}${ITEMS_PATH}/${id}?nsfilter=${bench.namespace}`,
    ) as [string, string];
    await assertSameJson(urls, headers);
    return { ours: httpSide({ url: urls[0], headers }), reference: httpSide({ url: urls[1], headers }) };
  },
};
