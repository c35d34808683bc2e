import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { itemClient } from './item-client.js';
import type { Here } from './start-app.js';

export type Row = Record<string, unknown>;

/** Calls for indexes by one caller. */
export function indexClient(here: Here) {
  const { send } = itemClient(here);
  const index = (id: string, ...indexes: unknown[]) => send('post', `/${id}/indexes`).send(indexes);
  const shown = async (id: string) => (await send('get', `/${id}/indexes`).expect(200)).body;
  const ready = (id: string) =>
    eventually(async () => {
      const statuses = (await shown(id))._list.map(({ _status }: Row) => _status);
      expect(new Set(statuses)).toEqual(new Set(['READY']));
    });
  return {
    index,
    shown,
    ready,
    /** Creates indexes and waits for them. */
    indexed: async (id: string, ...indexes: unknown[]) => {
      await index(id, ...indexes).expect(201);
      await ready(id);
    },
  };
}
