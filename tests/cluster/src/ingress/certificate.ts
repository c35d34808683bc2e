import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { connect } from 'node:tls';
import { findOnPath } from '@dtplatform/stack';
import type { TestRun } from '../test-run.js';
import { runTool } from '../tools/run-tool.js';

const SECRET = 'cluster-test-tls';
const TIMEOUT_MS = 5_000;

export interface Certificate {
  /** The Secret that holds the certificate and its key. */
  secret: string;
  /** The self-signed certificate. */
  file: string;
}

/** Whether the address speaks TLS on the HTTPS port, with any certificate. */
export function speaksTls(address: string, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: 443, servername: host, rejectUnauthorized: false });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(false));
    socket.on('secureConnect', () => end(true)).on('error', () => end(false));
  });
}

export const canCertify = ({ env }: TestRun): boolean => findOnPath('openssl', env) !== undefined;

/** Makes a certificate for a host, and a Secret with it. */
export async function certify({ kubectl, stateDir, env, signal }: TestRun, host: string): Promise<Certificate> {
  const [file, key] = [path.join(stateDir, 'tls.crt'), path.join(stateDir, 'tls.key')];
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const args = ['req', '-x509', ...curve, '-nodes', '-days', '2', ...name, '-keyout', key, '-out', file];
  await runTool('openssl', args, { env, signal });
  const stringData = { 'tls.crt': await readFile(file, 'utf8'), 'tls.key': await readFile(key, 'utf8') };
  await kubectl.apply({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET } },
    ...{ type: 'kubernetes.io/tls', stringData },
  });
  return { secret: SECRET, file };
}

export const removeCertificate = async ({ kubectl }: TestRun): Promise<void> =>
  void (await kubectl.run('delete', 'secret', SECRET, '--ignore-not-found'));
