import { z } from 'zod';
import { ok, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import { ItemParams, UpdateLogsQuery } from '../nameduseritems/nameduseritems.routes.js';
import { UpdateLog } from './update-log.js';
import type { UpdateLogStore } from './update-logs.store.js';

export const updateLogRoutes = ({ items, updateLogs }: { items: Items; updateLogs: UpdateLogStore }) =>
  routes('/nameduseritems', [
    route.get('/:id/updatelogs', {
      operation: 'updateLogs.list',
      summary: 'List the latest 1000 changes of an item and of its versions, oldest first.',
      params: ItemParams,
      query: UpdateLogsQuery,
      needs: permit('READ', ITEM_TYPE, items),
      responses: { 200: z.array(UpdateLog) },
      handler: async ({ resource, query }) => ok(await updateLogs.list(resource._id, query.userItemVersionId)),
    }),
  ]);
