import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Sandbox } from '@dtplatform/sandbox';
import type { ServiceClient } from '@dtplatform/service-client';
import { callUrlComponent } from './call-url.client.js';
import type { CallUrlDeps } from './call-url.client.js';
import { defineComponent } from './component.js';
import type { Component } from './component.js';
import { importFileItemsComponent } from './import-file-items.client.js';
import { loadGraphicsFilesComponent } from './load-graphics-files.client.js';
import { scriptTargetComponent } from './script-target.client.js';

const MAX_WAIT_MS = 24 * 3_600_000;

/** `wait {ms}`: waits that many milliseconds. */
const waitComponent = defineComponent({
  name: 'wait',
  description: 'Waits a number of milliseconds.',
  mayRunAgain: true,
  params: z.strictObject({ ms: z.number().min(0).max(MAX_WAIT_MS) }),
  async run({ ms }, { signal }) {
    await delay(ms, undefined, { signal });
    return { ms };
  },
});

/** What the steps of the built-in components work with. */
export interface StepTools extends CallUrlDeps {
  graphicssvc: ServiceClient;
  filesvc: ServiceClient;
  itemsvc: ServiceClient;
  sandbox: Sandbox;
}

/** The components of every installation. */
export const builtInComponents = (tools: StepTools): Component[] => [
  waitComponent,
  loadGraphicsFilesComponent(tools),
  importFileItemsComponent(tools),
  callUrlComponent(tools),
  scriptTargetComponent(tools),
];
