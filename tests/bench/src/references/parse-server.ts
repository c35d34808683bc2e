import { createRequire } from 'node:module';
import path from 'node:path';
import type { RequestListener } from 'node:http';
import { argument } from '../load/program.js';
import { serve } from './serve.js';

export interface ParseServer {
  /** The installation folder. */
  dir: string;
  databaseUri: string;
  appId: string;
  masterKey: string;
}

interface ParseServerPackage {
  ParseServer: new (options: object) => { start(): Promise<void>; app: RequestListener };
}

/** parse-server on the same MongoDB, started as its documentation recommends for production. */
const { dir, databaseUri, appId, masterKey } = argument<ParseServer>();
// It writes its logs to the working directory.
process.chdir(dir);
const { ParseServer: Server } = createRequire(path.join(dir, 'package.json'))('parse-server') as ParseServerPackage;
const server = new Server({
  ...{ databaseURI: databaseUri, appId, masterKey, maintenanceKey: `${masterKey}-maintenance` },
  serverURL: 'http://127.0.0.1/parse',
  ...{ silent: true, verbose: false, logsFolder: null, logLevel: 'error' },
  ...{ directAccess: true, allowClientClassCreation: true, masterKeyIps: ['127.0.0.1', '::1'] },
});
await server.start();
serve(server.app);
