import type { Response } from 'supertest';
import { keepExamples, startPermissionStandIn, withHeaders } from '@dtplatform/testing';
import { itemClient } from '../item-client.js';
import { API, NS, startApp } from '../start-app.js';
import { telemetryClient } from '../telemetry-client.js';

export interface Listed {
  _id: string;
}

/** An item in responses. */
export interface Named extends Listed {
  _userItemId: string;
  _tipId: string;
  _irn: string;
}

export type Story = Awaited<ReturnType<typeof openStory>>;

/** Olga describes a building: its rooms, its sensors and what they measure. */
export async function openStory() {
  const permissions = await startPermissionStandIn('itemsvc:nameduseritem:*', NS);
  const app = withHeaders(await startApp(permissions.environment));
  const owner = await app.caller('olga', NS);
  const here = { app, owner };
  const { keep, replace, end } = keepExamples(new URL('../../', import.meta.url));
  const { send, create } = itemClient(here);

  return {
    ...here,
    permissions,
    keep,
    replace,
    end,
    /** @param path below `/itemsvc/api/v1/nameduseritems` */
    send,
    /** @param path below `/itemsvc/api/v1` */
    call: (method: 'get' | 'post' | 'put', path: string, query: object = { nsfilter: NS }) =>
      app.api[method](`${API}${path}`).query(query).set(owner),
    ended: telemetryClient(here).ended,
    /** Fixed, because the id ends with random characters. */
    create: async (draft: { _shortName: string; [field: string]: unknown }) => {
      const response = await create([{ _namespaces: [NS], ...draft }]).expect(201);
      const item = firstOf<Named>(response);
      replace(item._userItemId, `${draft._shortName}_Zt4cVq8LmX2w`);
      return { reply: response, item };
    },
    async stop() {
      await app.stop();
      await permissions.stop();
    },
  };
}

export const firstOf = <T = Listed>({ body }: Response): T => (body as { _list: [T] })._list[0];
