import { inMongo } from '../../tools/in-pod.js';
import type { Kubectl } from '../../tools/kubectl.js';

/** Messages as services put them into their outbox. */
interface Messages {
  count: number;
  /** Their age. Default: just written. */
  ageMs?: number;
  queue: string;
  name: string;
  payload: unknown;
  /** See `OutboxEntry` of libs/queue. */
  forget?: boolean;
}

/** Ids of all messages of this test start with it. */
const MARK = 'monitors-test-';
/** No workspace has it. */
export const NAMESPACE = 'monitors_test_1';

/** A message that adds nothing to a metric. */
export const usageOf = (_metric: string) => ({
  queue: 'metricsvc.usage',
  name: 'usage.batch.v1',
  payload: {
    messages: [{ _namespace: NAMESPACE, _at: Date.now(), _changes: [{ _metric, _dimensions: {}, _amount: 0 }] }],
  },
});

/** Writes messages to the outbox of services, for their relays. */
export async function putMessages(
  kubectl: Kubectl,
  services: readonly string[],
  { count, ageMs = 0, ...message }: Messages,
): Promise<void> {
  const mark = `${MARK}${Date.now().toString(36)}-`;
  await inMongo(
    kubectl,
    `
const entry = { createdAt: Date.now() - ${ageMs}, ...${JSON.stringify(message)} };
for (const service of ${JSON.stringify(services)}) {
  const entries = Array.from({ length: ${count} }, (_, n) => ({ _id: '${mark}' + service + n, ...entry }));
  await db(service).collection('outbox').insertMany(entries, { ordered: false });
}`,
  );
}

/** Removes the messages of this test that were not processed. */
export const removeMessages = (kubectl: Kubectl, services: readonly string[]): Promise<string> =>
  inMongo(
    kubectl,
    `for (const service of ${JSON.stringify(services)})
  await db(service).collection('outbox').deleteMany({ _id: /^${MARK}/ });`,
  );
