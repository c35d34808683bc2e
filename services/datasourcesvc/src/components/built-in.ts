import type { Sandbox } from '@dtplatform/sandbox';
import type { ServiceClient } from '@dtplatform/service-client';
import type { Component } from '../domain/components/component.js';
import { callUrlComponent } from './call-url.component.js';
import type { CallUrlDeps } from './call-url.component.js';
import { importFileItemsComponent } from './import-file-items.component.js';
import { loadGraphicsFilesComponent } from './load-graphics-files.component.js';
import { scriptTargetComponent } from './script-target.component.js';
import { waitComponent } from './wait.component.js';

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
