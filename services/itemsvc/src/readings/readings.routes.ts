import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { created, listParameter, nsfilter, okPage, pageOf, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import { ItemParams, MAX_BODY_BYTES, userItemVersionId } from '../nameduseritems/nameduseritems.routes.js';
import { invalidLists, listParameters, listQueryOf } from '../query/list-parameters.http.js';
import { createCollections } from '../relateditems/collections.js';
import type { ReadingQuery } from './place-readings.js';
import { AggregateFunction, choosesValues, Every, MAX_READINGS, NewReading, ShownReading } from './reading.js';
import type { Readings } from './readings.js';

const CreateReadingsQuery = z.object({ nsfilter, userItemVersionId });
const CreateReadingsBody = z.array(NewReading).min(1).max(MAX_READINGS);
const CreatedReadings = z
  .object({ _total: z.int().describe('The number of readings accepted.') })
  .meta({ id: 'CreatedReadings', description: 'The number of readings accepted.' });
const ReadingPage = pageOf(ShownReading).meta({ id: 'ReadingPage', description: 'A page of readings.' });

const ListReadingsQuery = z
  .object({
    ...listParameters,
    userItemVersionId,
    every: Every.optional().describe(
      'Aggregates the readings of each telemetry item per interval: a whole number and `ms`, `s`, `m`, `h` or `d`, such as `15m`, up to `366d`.',
    ),
    fn: listParameter()
      .pipe(z.array(AggregateFunction).min(1))
      .optional()
      .describe(
        'How to aggregate the readings of an interval: `avg` (the default), `min`, `max`, `last`, `count`; several separated by commas. Requires `every`.',
      ),
  })
  .superRefine(({ every, fn, project }, context) => {
    if (every === undefined && fn) context.addIssue({ code: 'custom', path: ['fn'], message: 'requires every' });
    if (every === undefined || !project || choosesValues(project)) return;
    context.addIssue({
      code: 'custom',
      path: ['project'],
      message: 'can only select values by name with every',
    });
  });

const readingQueryOf = ({ every, fn, ...list }: z.infer<typeof ListReadingsQuery>): ReadingQuery => ({
  ...listQueryOf(list),
  ...(every !== undefined && { downSampling: { everyMs: every, functions: [...new Set(fn ?? ['avg' as const])] } }),
});

export function readingRoutes({ items, readings }: { items: Items; readings: Readings }) {
  const collections = createCollections(items);
  return routes('/nameduseritems', [
    route.post('/:id/relateditems/readings', {
      operation: 'readings.create',
      summary: 'Store up to 10 000 readings of the telemetry items in a telemetry collection, all or none.',
      description: 'The body can be up to 10 MiB. Expired readings are accepted but not kept.',
      errors: [errors.noReadings, errors.telemetryItemMissing, errors.readingTooLarge, commonErrors.pageTooLarge],
      params: ItemParams,
      query: CreateReadingsQuery,
      body: CreateReadingsBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', ITEM_TYPE, collections),
      responses: { 201: CreatedReadings },
      handler: async ({ resource: item, query, body, access }) => {
        const context = { item, versionId: query.userItemVersionId, namespace: query.nsfilter, access };
        return created({ _total: await readings.add(body, context) });
      },
    }),
    route.get('/:id/relateditems/readings', {
      operation: 'readings.list',
      summary: 'Find readings by time, telemetry item and values, raw or down-sampled.',
      description:
        'Readings are sorted by `_ts` unless `sort` is sent. With `every`, `project` selects values by name only.',
      errors: [...invalidLists, errors.noReadings, errors.queryTooBroad],
      params: ItemParams,
      query: ListReadingsQuery,
      needs: permit('READ', ITEM_TYPE, collections),
      responses: { 200: ReadingPage },
      handler: async ({ resource: item, query, access }) => {
        const context = { item, versionId: query.userItemVersionId, namespace: query.nsfilter, access };
        const list = readingQueryOf(query);
        return okPage(await readings.list(context, list), list.paging);
      },
    }),
  ]);
}
