import type { Report } from './report.js';

const FIRST_MS = 15_000;

/**
 * Reports the start of long work, then how long it has taken: after 15 seconds, 30, 60 and so on.
 * @param rest what is left to do
 */
export async function withHeartbeat<T>(
  report: Report,
  subject: string,
  what: string,
  work: () => Promise<T>,
  rest = () => '',
): Promise<T> {
  const begun = Date.now();
  report.progress(subject, what);
  let heartbeat = setTimeout(beat, FIRST_MS);
  function beat() {
    const elapsed = Date.now() - begun;
    report.progress(subject, `${what}: ${Math.round(elapsed / 1000)} s${rest() && ` (${rest()})`}`);
    heartbeat = setTimeout(beat, elapsed);
  }
  try {
    return await work();
  } finally {
    clearTimeout(heartbeat);
  }
}
