import { setTimeout as delay } from 'node:timers/promises';
import type { TestComponent } from './start-app.js';

/** A component that runs for a minute unless it is aborted, and the keys of its started and aborted steps. */
export function slowComponent() {
  const [began, aborted] = [new Set<string>(), new Set<string>()];
  const slow: TestComponent = {
    name: 'slow',
    async run(params, { signal }) {
      const { key } = params as { key: string };
      began.add(key);
      await delay(60_000, undefined, { signal }).catch((error: unknown) => {
        aborted.add(key);
        throw error;
      });
    },
  };
  return { slow, began, aborted };
}
