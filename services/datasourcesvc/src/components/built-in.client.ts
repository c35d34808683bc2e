import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createEgress } from '@dtplatform/egress';
import type { Backends } from '@dtplatform/runtime';
import { createSandbox } from '@dtplatform/sandbox';
import type { Config } from '../config.js';
import { callUrlComponent } from './call-url.client.js';
import { defineComponent } from './component.js';
import type { Component } from './component.js';
import { importFileItemsComponent } from './import-file-items.client.js';
import { loadGraphicsFilesComponent } from './load-graphics-files.client.js';
import { scriptTargetComponent } from './script-target.client.js';

const MAX_WAIT_MS = 24 * 3_600_000;

/** `wait {ms}`: waits for a number of milliseconds. */
const waitComponent = defineComponent({
  name: 'wait',
  description: 'Waits for a number of milliseconds.',
  mayRunAgain: true,
  params: z.strictObject({ ms: z.number().min(0).max(MAX_WAIT_MS) }),
  async run({ ms }, { signal }) {
    await delay(ms, undefined, { signal });
    return { ms };
  },
});

const MAX_CALL_MS = 30_000;
const MAX_RESPONSE_BYTES = 256 * 1024;
/** A step may take longer than the normalization of a message. */
const SCRIPT_LIMITS = { timeoutMs: 5_000, memoryBytes: 64 * 1024 * 1024, outputChars: 256 * 1024 };
/** More than one, so that a slow script does not block others. */
const SCRIPT_THREADS = 2;

/** The components of every installation. */
export function createBuiltInComponents(
  { serviceClient, lifecycle }: Pick<Backends, 'serviceClient' | 'lifecycle'>,
  config: Config,
): Component[] {
  const egress = createEgress({
    allow: config.EGRESS_ALLOW,
    timeoutMs: MAX_CALL_MS,
    maxAnswerBytes: MAX_RESPONSE_BYTES,
  });
  lifecycle.onStop('egress', () => egress.close());
  const sandbox = createSandbox({ threads: SCRIPT_THREADS, limits: SCRIPT_LIMITS });
  lifecycle.onStop('sandbox', () => sandbox.close());
  const graphicssvc = serviceClient(config.GRAPHICSSVC_URL);
  const filesvc = serviceClient(config.FILESVC_URL);
  const itemsvc = serviceClient(config.ITEMSVC_URL);
  return [
    waitComponent,
    loadGraphicsFilesComponent({ graphicssvc, filesvc }),
    importFileItemsComponent({ filesvc, itemsvc }),
    callUrlComponent({ egress, hosts: config.CALL_URL_HOSTS }),
    scriptTargetComponent({ itemsvc, sandbox }),
  ];
}
