import { ITEMS } from '@dtplatform/stack/client';
import { assertSameJson, httpSide } from '../http-side.js';
import { itemsOf } from '../items.js';
import type { Row } from '../row.js';

export const protectedGet: Row = {
  row: 'protected-get',
  unit: 'request',
  reach: 0.95,
  about: 'items by their ids with a bearer token; beside the same service with authentication and permissions off',
  async prepare(bench) {
    const ids = await itemsOf(bench);
    const { token } = bench;
    const requestsOf = (service: string) => {
      const { url, pid } = bench.serviceOf(service);
      return { urls: ids.map((id) => `${url}${ITEMS}/${id}?nsfilter=${bench.namespace}`), token, pid };
    };
    const [ours, reference] = [requestsOf('itemsvc'), requestsOf('openitemsvc')];
    await assertSameJson([ours.urls[0]!, reference.urls[0]!], token);
    return { ours: httpSide(ours), reference: httpSide(reference) };
  },
};
