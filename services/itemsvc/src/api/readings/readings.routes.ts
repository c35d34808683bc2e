import { commonErrors } from '@dtplatform/errors';
import { created, okPage, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/nameduseritems/item.js';
import { createCollections } from '../../domain/relateditems/collections.js';
import { errors } from '../../errors.js';
import { ItemParams, MAX_BODY_BYTES } from '../nameduseritems/nameduseritems.schemas.js';
import { invalidLists } from '../query.errors.js';
import {
  CreatedReadings,
  CreateReadingsBody,
  CreateReadingsQuery,
  ListReadingsQuery,
  ReadingPage,
  readingQueryOf,
} from './readings.schemas.js';

/** Readings of telemetry items (docs/contract.md, "Readings"). */
export function readingRoutes({ items, readings }: Pick<Deps, 'items' | 'readings'>) {
  const collections = createCollections(items);
  return routes('/nameduseritems', [
    route.post('/:id/relateditems/readings', {
      operation: 'readings.create',
      summary: 'Store up to 10 000 readings of the telemetry items in a telemetry collection, all or none.',
      description: 'The body has at most 10 MiB. Readings that have expired are accepted and not kept.',
      errors: [errors.noReadings, errors.telemetryItemMissing, errors.readingTooLarge, commonErrors.pageTooLarge],
      params: ItemParams,
      query: CreateReadingsQuery,
      body: CreateReadingsBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', ITEM_TYPE, collections),
      replies: { 201: CreatedReadings },
      handler: async ({ resource: item, query, body, access }) => {
        const context = { item, versionId: query.userItemVersionId, namespace: query.nsfilter, access };
        return created({ _total: await readings.add(body, context) });
      },
    }),
    route.get('/:id/relateditems/readings', {
      operation: 'readings.list',
      summary: 'Find readings by time, telemetry item and values, as they are or down-sampled.',
      description:
        'Readings are sorted by `_ts` unless `sort` is sent. With `every`, `project` selects values by name only.',
      errors: [...invalidLists, errors.noReadings, errors.queryTooBroad],
      params: ItemParams,
      query: ListReadingsQuery,
      needs: permit('READ', ITEM_TYPE, collections),
      replies: { 200: ReadingPage },
      handler: async ({ resource: item, query, access }) => {
        const context = { item, versionId: query.userItemVersionId, namespace: query.nsfilter, access };
        const list = readingQueryOf(query);
        return okPage(await readings.list(context, list), list.paging);
      },
    }),
  ]);
}
