import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { API, NS } from './start-app.js';
import type { Here } from './start-app.js';

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

export const taskIdIn = (location: string): string => location.split('/').at(-1)!;

/** Calls of the telemetry API by one caller. */
export function telemetryClient({ app, owner }: Pick<Here, 'app' | 'owner'>) {
  const send = (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    query: object = { nsfilter: NS },
    by: Headers = owner,
  ) => app.api[method](path).query(query).set(by);
  /** The URL of the task that an accepted call has started. */
  const accepted = async (call: PromiseLike<{ status: number; headers: Headers }>): Promise<string> => {
    const { status, headers } = await call;
    expect(status).toBe(202);
    return headers.location!;
  };
  const ended = (location: string, by?: Headers) =>
    eventually(
      async () => {
        const response = await send('get', location, {}, by).expect(200);
        expect(['COMPLETED', 'ERROR']).toContain(response.body._status);
        return response.body;
      },
      { timeoutMs: 40_000 },
    );
  /** The response of an accepted call's task, parsed. */
  const outcome = async (call: PromiseLike<{ status: number; headers: Headers }>, by?: Headers) => {
    const { _status, _body } = (await ended(await accepted(call), by))._response;
    return { status: _status as number, body: JSON.parse(_body as string) };
  };
  return {
    send,
    accepted,
    ended,
    outcome,
    createConfig: async (more: object = {}) => (await outcome(send('post', CONFIGS).send(configDraft(more)))).body,
  };
}
