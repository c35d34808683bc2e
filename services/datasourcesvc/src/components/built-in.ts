import type { ServiceClient } from '@dtplatform/service-client';
import type { Component } from '../domain/component.js';
import { loadGraphicsFilesComponent } from './load-graphics-files.component.js';
import { waitComponent } from './wait.component.js';

/** The components that every installation has. */
export const builtInComponents = ({ graphicssvc }: { graphicssvc: ServiceClient }): Component[] => [
  waitComponent,
  loadGraphicsFilesComponent(graphicssvc),
];
