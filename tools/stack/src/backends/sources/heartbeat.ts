import type { Report } from '../../report.js';

const EVERY_MS = 5_000;

/** Reports the start of long work, then its latest line of output every few seconds. */
export async function withHeartbeat<T>(
  report: Report,
  subject: string,
  what: string,
  work: (onLine: (line: string) => void) => Promise<T>,
): Promise<T> {
  const begun = Date.now();
  let said = '';
  report.progress(subject, what);
  const heartbeat = setInterval(() => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    report.progress(subject, `${what}: ${seconds} s${said && ` (${said.slice(0, 80)})`}`);
  }, EVERY_MS);
  try {
    return await work((line) => (said = line.trim() || said));
  } finally {
    clearInterval(heartbeat);
  }
}
