import type { ServiceClient } from '@dtplatform/service-client';
import type { Component } from '../domain/components/component.js';
import { loadGraphicsFilesComponent } from './load-graphics-files.component.js';
import { waitComponent } from './wait.component.js';

/** The components of every installation. */
export const builtInComponents = ({ graphicssvc }: { graphicssvc: ServiceClient }): Component[] => [
  waitComponent,
  loadGraphicsFilesComponent(graphicssvc),
];
