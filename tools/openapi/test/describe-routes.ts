import { z } from 'zod';
import { documents, ok, routes } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { describeApi } from '../src/index.js';

/** A route that a test extends. */
export const get = {
  ...{ operation: 'things.get', summary: 'Get.', needs: documents({ rule: 'anyone' }) },
  ...{ responses: { 200: z.json() }, handler: async () => ok({}) },
};

/** The description of an API with these routes below a prefix. */
export const describeRoutes = (prefix: string, list: Route[], tags?: Record<string, string>) =>
  describeApi({
    ...{ title: prefix, description: 'Has things.', tags },
    mounts: [{ prefix: `/${prefix}`, tables: [routes('/things', list)] }],
  });
