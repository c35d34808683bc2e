import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineComponent } from '../domain/components/component.js';

const MAX_WAIT_MS = 24 * 3_600_000;

/** `wait {ms}`: waits that many milliseconds. */
export const waitComponent = defineComponent({
  name: 'wait',
  description: 'Waits a number of milliseconds.',
  mayRunAgain: true,
  params: z.strictObject({ ms: z.number().min(0).max(MAX_WAIT_MS) }),
  async run({ ms }, { signal }) {
    await delay(ms, undefined, { signal });
    return { ms };
  },
});
