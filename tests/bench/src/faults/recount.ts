import { until } from '@dtplatform/stack';
import type { LoadUser } from '../callers/index.js';
import { type Caller, FILES, ITEMS, METRICS, type Page } from '@dtplatform/stack/client';

const RECONCILIATIONS = '/metricsvc/api/v1/reconciliations';
const PAGE = 100;
/** Lists of a namespace and the metrics that count their entries. No metric counts a file without content. */
const LISTS = [
  { path: FILES, metrics: ['dtplatform.filesvc.FileCount', 'dtplatform.filesvc.FileCount.graphics'] },
  { path: ITEMS, metrics: ['dtplatform.itemsvc.NamedUserCollectionCount'] },
];

interface Reconciliation {
  _id: string;
  _status: string;
  _unsettled: number;
  _differing: Record<string, number>;
}

/**
 * Compares totals of lists with their entries, and metrics with both. Resolves with the differences, each as a
 * sentence.
 */
export async function compareCounts(user: LoadUser, deadlineMs: number): Promise<string[]> {
  const differences: string[] = [];
  for (const { path, metrics } of LISTS) {
    const { total, entries, counted } = await readList(user, path);
    if (total !== entries) differences.push(`the _total of ${path} is ${total}, it has ${entries} entries`);
    let sum = 0;
    const isEqual = async () => {
      sum = 0;
      for (const metric of metrics) sum += await readMetric(user, metric);
      return sum === counted;
    };
    const timeoutMs = Math.max(0, deadlineMs - Date.now());
    await until(path, isEqual, { timeoutMs, everyMs: 250 }).catch((error: unknown) => {
      const why = `${(error as Error).message}; the metrics say ${sum}, the list has ${counted} that count`;
      differences.push(`usage differs: ${why}`);
    });
  }
  return differences;
}

/** Has metricsvc reconcile the metrics of a namespace with the services' counts. */
export async function reconcile(admin: Caller, namespace: string, signal: AbortSignal): Promise<string[]> {
  const json = { _namespace: namespace };
  let { body } = await admin.call<Reconciliation>('POST', RECONCILIATIONS, { json, expect: 202 });
  const path = `${RECONCILIATIONS}/${body._id}`;
  const isCompleted = async () => {
    ({ body } = await admin.call<Reconciliation>('GET', path));
    return body._status === 'COMPLETED';
  };
  await until('the reconciliation of metrics', isCompleted, { timeoutMs: 90_000, everyMs: 500, signal });
  const differing = Object.entries(body._differing).map(([metric, count]) => `${count} series of ${metric} differ`);
  return body._unsettled > 0 ? [...differing, `${body._unsettled} series could not be compared`] : differing;
}

async function readList({ caller, namespace }: LoadUser, path: string) {
  let counted = 0;
  for (let entries = 0; ;) {
    const query = { nsfilter: namespace, _pageSize: PAGE, _offset: entries };
    const { _list, _total: total } = (await caller.call<Page<{ _tipId?: string }>>('GET', path, { query })).body;
    entries += _list.length;
    counted += _list.filter(({ _tipId }) => _tipId !== undefined).length;
    if (_list.length < PAGE) return { total, entries, counted };
  }
}

async function readMetric({ caller, namespace }: LoadUser, metric: string): Promise<number> {
  const path = `${METRICS}/${metric}`;
  const { body } = await caller.call<{ metrics: { value: number }[] }>('GET', path, { query: { namespace } });
  return body.metrics.at(-1)?.value ?? 0;
}
