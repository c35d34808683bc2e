/**
 * Visits the platform at an address that its host name does not resolve to. A separate program, because Node.js reads
 * additional trusted certificates (NODE_EXTRA_CA_CERTS) only at startup.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { lineReport, onInterrupt, type DevJson } from '@dtplatform/stack';
import { nameAddress } from './name-address.js';
import { visit } from './visit.js';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      dev: { type: 'string' },
      address: { type: 'string' },
      'upload-mb': { type: 'string' },
      'silent-seconds': { type: 'string' },
    },
  });
  const dev = JSON.parse(await readFile(values.dev!, 'utf8')) as DevJson;
  nameAddress(new URL(dev.baseUrl).hostname, values.address!);
  const [uploadMb, silentSeconds] = [Number(values['upload-mb']), Number(values['silent-seconds'])];
  await visit({ dev, uploadMb, silentSeconds, signal: onInterrupt(console.log), report: lineReport() });
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error((error as Error).message);
    process.exit(1);
  },
);
