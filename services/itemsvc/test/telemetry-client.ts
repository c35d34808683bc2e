import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { NS } from './item-client.js';
import { API } from './start-app.js';
import type { TestApp } from './start-app.js';

export const CONFIGS = `${API}/telemetryconfigs`;

type Headers = Record<string, string>;
let count = 0;

export const configDraft = (more: object = {}) => ({
  _name: 'Sensors',
  _shortName: `sensors${(count += 1)}`,
  _description: 'Sensors of the tower.',
  _userType: 'iot_config',
  _namespaces: [NS],
  _configData: {
    _bindings: [{ collectionDesc: { _userItemId: 'temperature_1' }, query: { deviceType: 'thermo' } }],
    _normalizationScript: { _userType: 'normalize' },
  },
  ...more,
});

/** Calls of the telemetry API by one caller. @param caller set before the first call */
export function telemetryClient(caller: () => { app: TestApp; owner: Headers }) {
  const send = (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    query: object = { nsfilter: NS },
    by?: Headers,
  ) => {
    const { app, owner } = caller();
    return app.api[method](path)
      .query(query)
      .set(by ?? owner);
  };
  const ended = (location: string) =>
    eventually(async () => {
      const reply = await send('get', location, {}).expect(200);
      expect(['COMPLETED', 'ERROR']).toContain(reply.body._status);
      return reply.body;
    });
  /** The response that the task of an accepted call holds, parsed. */
  const outcome = async (call: PromiseLike<{ status: number; headers: Headers }>) => {
    const reply = await call;
    expect(reply.status).toBe(202);
    const { _status, _body } = (await ended(reply.headers.location!))._response;
    return { status: _status as number, body: JSON.parse(_body as string) };
  };
  return {
    send,
    ended,
    outcome,
    createConfig: async (more: object = {}) => (await outcome(send('post', CONFIGS).send(configDraft(more)))).body,
  };
}
