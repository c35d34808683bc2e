import path from 'node:path';
import { freePort } from '../ports.js';
import type { ServiceEntry } from './catalogue.js';
import { siteEnvironment, type Surroundings } from './environment.js';
import { serveNode, type ServiceProcess } from './node-process.js';

export interface StartSiteOptions {
  site: ServiceEntry;
  around: Pick<Surroundings, 'baseUrl' | 'env'>;
  stateDir: string;
  signal: AbortSignal;
  /** Called as soon as the site is ready. */
  onReady: (site: ServiceEntry, port: number) => void;
}

export async function startSite({ site, around, onReady, ...common }: StartSiteOptions): Promise<ServiceProcess> {
  const { name, programs } = site;
  const port = await freePort();
  const env = { ...siteEnvironment(around), PORT: String(port) };
  const running = await serveNode({ ...common, name, program: path.join(programs, 'main.js'), env });
  onReady(site, port);
  return running;
}
