import { until } from '@dtplatform/stack';
import { clientCredentials, ITEMS } from '@dtplatform/stack/client';
import type { SkaffoldRun } from './prepare.js';

const TIMEOUT_MS = 600_000;
/** itemsvc refuses it with a text of its source. */
const INVALID = `${ITEMS}?nsfilter=none&query=x`;
export const TEXT_SOURCE = 'services/itemsvc/src/query/list-parameters.http.ts';
export const TEXT = 'is not JSON';

/** The text that itemsvc answers now through the forwarded port; empty without an answer. */
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

/** Waits for an answer that contains the text. Resolves with the time of it, in milliseconds. */
export async function untilAnswered(run: SkaffoldRun, text: string): Promise<number> {
  const isAnswered = async () => (await answer(run)).includes(text);
  await until(`itemsvc answers "${text}"`, isAnswered, { timeoutMs: TIMEOUT_MS, everyMs: 100, signal: run.signal });
  return performance.now();
}
