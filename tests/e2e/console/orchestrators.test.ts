import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrchestrator } from '../support/resources.js';
import { openWorkspace } from './open-console.js';
import type { WorkspaceConsole } from './open-console.js';

const step = (_orchcomp: string, _actualparams: object) => ({
  _orchcomp,
  _sequenceno: 1,
  _name: _orchcomp,
  _actualparams,
});

describe('the orchestrators of the console', () => {
  let console: WorkspaceConsole;

  beforeAll(async () => {
    console = await openWorkspace();
  });
  afterAll(() => console.close());

  it('creates one from the registry with a schedule in words, runs it, and stops and starts the schedule', async () => {
    await console.open(`${console.pages}/orchestrators`);
    await console.click('Create an orchestrator', 'link');
    await console.fill('Name', 'Nightly report');
    await console.choose('Component', 'wait');
    await console.fill('ms', '5', 'spinbutton');
    await console.choose('When it runs', 'cron');
    await console.fill('Cron expression', '30 2 * * *');
    await console.shows('At 02:30 AM, every day');
    await console.shows('Its next times');
    expect(await console.barriers()).toEqual([]);
    await console.click('Create');
    await console.click('Run now');
    await console.shows('Completed');
    expect(await console.barriers()).toEqual([]);
    await console.open(`${console.pages}/orchestrators`);
    await console.click('Nightly report', 'link');
    await console.click('Stop the schedule');
    await console.confirm('Stop the schedule');
    await console.shows('Stopped until ');
    await console.click('Start the schedule again');
    await console.confirm('Start the schedule again');
    await console.shows('Stop the schedule');
  });

  it('says why a run failed, and retries it', async () => {
    const params = { fileId: 'f'.repeat(24), collectionId: 'f'.repeat(24) };
    const id = await createOrchestrator(console.user, console.namespace, [step('import_file_items', params)]);
    await console.open(`${console.pages}/orchestrators/${id}`);
    await console.click('Run now');
    await console.shows('Why it failed');
    expect(await console.barriers()).toEqual([]);
    await console.click('Retry');
    await console.shows('Attempts');
  });

  it('shows a run as it goes, and cancels it', async () => {
    const id = await createOrchestrator(console.user, console.namespace, [step('wait', { ms: 60_000 })]);
    await console.open(`${console.pages}/orchestrators/${id}`);
    await console.click('Run now');
    await console.shows('Running');
    await console.click('Cancel the run');
    await console.confirm('Cancel the run');
    await console.shows('Cancelled');
    expect(console.faults).toEqual([]);
  });
});
