import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitForRun } from '@dtplatform/sdk';
import { createOrchestrator } from '../support/resources.js';
import { enterWithSdk } from './support.js';
import type { Owner } from './support.js';

const step = { _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 60_000 } };

describe('runs with the SDK', () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await enterWithSdk();
  });

  it('are no longer watched when the caller stops', async () => {
    const person = { ...owner.account, token: await owner.session.token() };
    const orchestrator = await createOrchestrator(person, owner.namespace, [step]);
    const request = { path: { id: orchestrator }, body: {} };
    const { id } = await owner.client.call('datasourcesvc.orchestrators.run', request);
    const stop = new AbortController();
    const watching = waitForRun(owner.client, id, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(watching).rejects.toThrow('aborted');
    await owner.client.call('datasourcesvc.runs.cancel', { path: { id } });
  });
});
