import { until } from '@dtplatform/stack';
import { clientCredentials, ITEMS } from '@dtplatform/stack/client';
import type { SkaffoldRun } from './prepare.js';

const TIMEOUT_MS = 600_000;
/** itemsvc rejects it with a message from its source code. */
const INVALID = `${ITEMS}?nsfilter=none&query=x`;
export const TEXT_SOURCE = 'services/itemsvc/src/query/list-parameters.http.ts';
export const TEXT = 'is not JSON';

/** The current response text of itemsvc through the forwarded port; empty without a response. */
export async function answer({ application }: SkaffoldRun): Promise<string> {
  const signal = AbortSignal.timeout(5_000);
  try {
    const { access_token: token } = await clientCredentials({ ...application, signal });
    const headers = { authorization: `Bearer ${token}` };
    return await (await fetch(new URL(INVALID, application.baseUrl), { headers, signal })).text();
  } catch {
    return '';
  }
}

/** Waits for a response that contains the text. Resolves with its time, in milliseconds. */
export async function untilAnswered(run: SkaffoldRun, text: string): Promise<number> {
  const isAnswered = async () => (await answer(run)).includes(text);
  await until(`itemsvc answers "${text}"`, isAnswered, { timeoutMs: TIMEOUT_MS, everyMs: 100, signal: run.signal });
  return performance.now();
}
