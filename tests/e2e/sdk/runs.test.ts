import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitForRun, watchRun, WorkFailedError } from '@dtplatform/sdk';
import { createOrchestrator } from '../support/resources.js';
import { enterWithSdk } from './support.js';
import type { Owner } from './support.js';

const step = (ms: number) => ({ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms } });

describe('runs with the SDK', () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await enterWithSdk();
  });

  async function start(ms: number): Promise<string> {
    const person = { ...owner.account, token: await owner.session.token() };
    const id = await createOrchestrator(person, owner.namespace, [step(ms)]);
    return (await owner.client.call('datasourcesvc.orchestrators.run', { path: { id }, body: {} })).id;
  }

  it('are awaited, with their progress', async () => {
    const seen: string[] = [];
    const run = await waitForRun(owner.client, await start(300), { onProgress: ({ _status }) => seen.push(_status) });
    expect(run).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _status: 'COMPLETED' }] });
    expect(seen.at(-1)).toBe('COMPLETED');
  });

  it('reject when they are cancelled', async () => {
    const id = await start(60_000);
    const seen: string[] = [];
    for await (const { _status } of watchRun(owner.client, id)) {
      seen.push(_status);
      if (_status === 'RUNNING') await owner.client.call('datasourcesvc.runs.cancel', { path: { id } });
    }
    expect(seen.at(-1)).toBe('CANCELLED');
    await expect(waitForRun(owner.client, id)).rejects.toThrow(WorkFailedError);
  });

  it('are no longer watched when the caller stops', async () => {
    const id = await start(60_000);
    const stop = new AbortController();
    const watching = waitForRun(owner.client, id, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(watching).rejects.toThrow('aborted');
    await owner.client.call('datasourcesvc.runs.cancel', { path: { id } });
  });
});
