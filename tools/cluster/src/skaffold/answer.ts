import { until } from '@dtplatform/stack';
import type { SkaffoldRun } from './prepare.js';

const TIMEOUT_MS = 600_000;
const DESCRIPTION = '/itemsvc/api/v1/openapi.json';

/** The URL of itemsvc's API description, which holds texts of its source. */
export const descriptionUrl = ({ port }: SkaffoldRun): string => `http://127.0.0.1:${port}${DESCRIPTION}`;

/** The text that itemsvc answers now through the forwarded port; empty without an answer. */
export async function answer(run: SkaffoldRun): Promise<string> {
  return fetch(descriptionUrl(run), { signal: AbortSignal.timeout(5_000) }).then(
    (response) => (response.ok ? response.text() : ''),
    () => '',
  );
}

/** Waits for an answer that contains the text. Resolves with the time of it, in milliseconds. */
export async function untilAnswered(run: SkaffoldRun, text: string): Promise<number> {
  const isAnswered = async () => (await answer(run)).includes(text);
  await until(`itemsvc answers "${text}"`, isAnswered, { timeoutMs: TIMEOUT_MS, everyMs: 100, signal: run.signal });
  return performance.now();
}
