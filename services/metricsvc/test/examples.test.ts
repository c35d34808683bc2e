import { expect, it } from '@jest/globals';
import type { UsageChange } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import { eventually, keepExamples, withHeaders } from '@dtplatform/testing';
import { FILE_COUNT, files, METRICS, SIZE, size } from './metric-client.js';
import { openApp } from './start-app.js';
import { usageSource } from './usage-source.js';

const NS = 'tower_1';
const RECONCILIATIONS = '/metricsvc/api/v1/reconciliations';

const filesvc = usageSource('dtplatform.filesvc.', () => here.app);
const environment = { USAGE_RECONCILE: 'report', USAGE_RECONCILE_HOURS: '0' };
const here = await openApp({ sources: [filesvc.source], environment });
const app = withHeaders(here.app);
const authorization = here.platform;

it('keeps the examples of the API description', async () => {
  const examples = keepExamples(new URL('../', import.meta.url));
  const get = (path: string) => app.api.get(path).set({ authorization }).expect(200);
  const [file, version] = [newId(), newId()];
  await app.send(NS, [files(2), size(file, version, 1500)], { at: Date.parse('2026-01-05T08:20:00Z') });
  await app.send(NS, [files(1), size(file, newId(), 4000)], { at: Date.parse('2026-01-05T10:40:00Z') });
  await app.settled();

  examples.keep('metrics.value', await get(`${METRICS}/${FILE_COUNT}?namespace=${NS}`));
  examples.keep('metrics.list', await get(`${METRICS}?namespace=${NS}`));
  const hours = 'period.from=2026-01-05T08:00:00Z&period.to=2026-01-05T11:00:00Z';
  const dimensions = `namespace=${NS};file_id=${file}`;
  examples.keep('metrics.series', await get(`${METRICS}/${SIZE}/by-dimension;${dimensions}?${hours}`));
  const days = 'period.from=2026-01-04&period.to=2026-01-06&period.granularity=day';
  const inQuery = `${METRICS}/${FILE_COUNT}/by-dimension?namespace=${NS}&${days}`;
  examples.keep('metrics.series-of-query', await get(inQuery));

  filesvc.hold(NS, [files(3), size(file, version, 1500)] as UsageChange[]);
  const requested = app.api.post(RECONCILIATIONS).set({ authorization }).send({ _namespace: NS });
  const created = await requested.expect(202);
  examples.keep('reconciliations.create', created);
  const ended = await eventually(
    async () => {
      const response = await get(`${RECONCILIATIONS}/${created.body._id}`);
      expect(response.body._status).toBe('COMPLETED');
      return response;
    },
    { timeoutMs: 30_000 },
  );
  examples.keep('reconciliations.get', ended);

  const { kept, stored } = examples.end();
  expect(kept).toEqual(stored);
});
