import path from 'node:path';
import { repoRoot } from '../repo-root.js';

/** A service, or the documentation site. */
export interface ServiceEntry {
  name: string;
  prefixes: readonly [string, ...string[]];
  /** The file of its API description; the site has none. */
  openApi?: string;
  /** Folder of its programs: `main.js`, and `worker.js` and `migrate.js` if it has them. */
  programs: string;
}

const service = (name: string, ...morePrefixes: string[]): ServiceEntry => ({
  name,
  prefixes: [`/${name}`, ...morePrefixes],
  openApi: `/${name}/api/v1/openapi.json`,
  programs: path.join(repoRoot, 'services', name, 'dist'),
});

/** Without backends and a worker. */
export const SITE: ServiceEntry = {
  name: 'site',
  prefixes: ['/docs', '/console', '/packages', '/openapi.json', '/asyncapi.json'],
  programs: path.join(repoRoot, 'tools/site/dist'),
};

/** In the order of pages and progress lines. */
export const SERVICES: readonly ServiceEntry[] = [
  service('passportsvc', '/auth/realms', '/.well-known'),
  service('objectmodelsvc'),
  service('filesvc'),
  service('graphicssvc'),
  service('itemsvc'),
  service('datasourcesvc'),
  service('metricsvc'),
];
