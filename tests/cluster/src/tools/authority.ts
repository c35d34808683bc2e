import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from './run-tool.js';

/** A certificate authority for one host, made with openssl. */
export interface Authority {
  /** PEM. */
  certificate: string;
  /** Its file. */
  file: string;
  /** A certificate of the host that is valid for some days; for 0 it has already expired. */
  issue(days: number): Promise<{ key: string; cert: string }>;
}

export async function createAuthority(
  stateDir: string,
  host: string,
  context: { env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<Authority> {
  const folder = path.join(stateDir, 'authority');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const openssl = (...args: string[]) => runTool('openssl', args, { ...context, cwd: folder });
  const request = ['req', '-newkey', 'rsa:2048', '-nodes'];
  await openssl(...request, '-x509', '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  await openssl(...request, '-subj', `/CN=${host}`, '-keyout', 'host.key', '-out', 'host.csr');
  await writeFile(path.join(folder, 'names'), `subjectAltName=DNS:${host}\n`);
  const read = (file: string) => readFile(path.join(folder, file), 'utf8');
  return {
    certificate: await read('ca.crt'),
    file: path.join(folder, 'ca.crt'),
    async issue(days) {
      const signer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
      await openssl('x509', '-req', '-in', 'host.csr', ...signer, '-days', String(days), '-out', 'host.crt');
      return { key: await read('host.key'), cert: await read('host.crt') };
    },
  };
}
