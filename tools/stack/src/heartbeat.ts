import type { Report } from './report.js';

const EVERY_MS = 15_000;

/**
 * Reports the start of long work, then every 15 seconds how long it has taken.
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
  const heartbeat = setInterval(() => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    report.progress(subject, `${what}: ${seconds} s${rest() && ` (${rest()})`}`);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}
