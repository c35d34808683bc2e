import { createLogger } from '@dtplatform/logging';

/** A logger that records its lines, and the URLs of the process that writes them. */
export function recordingLogger() {
  const lines: { msg: string; reason?: string; port?: number; adminPort?: number }[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string }) };
  const urlOf = (kind: 'port' | 'adminPort') => `http://127.0.0.1:${lines.find((line) => line.adminPort)?.[kind]}`;
  return { log: createLogger({ service: 'svc', level: 'info', stream }), lines, urlOf };
}
