import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_PATH, itemsOf } from '../items.js';
import type { Row } from '../row.js';

export const protectedGet: Row = {
  row: 'protected-get',
  unit: 'requests/s',
  reach: 0.95,
  about: 'items by their ids with a bearer token; beside the same service with authentication and permissions off',
  async prepare(bench) {
    const ids = await itemsOf(bench);
    const headers = { authorization: `Bearer ${bench.token}` };
    const urlsAt = (service: string) =>
      ids.map((id) => `${bench.urlOf(service)}${ITEMS_PATH}/${id}?nsfilter=${bench.namespace}`);
    const [ours, reference] = [urlsAt('itemsvc'), urlsAt('openitemsvc')];
    await assertSameJson([ours[0]!, reference[0]!], headers);
    return { ours: httpSide({ urls: ours, headers }), reference: httpSide({ urls: reference, headers }) };
  },
};
