import { connect } from 'node:tls';
import { findOnPath } from '@dtplatform/stack';
import type { TestRun } from '../test-run.js';
import { createAuthority } from '../tools/authority.js';

const SECRET = 'cluster-test-tls';
const TIMEOUT_MS = 5_000;

export interface Certificate {
  /** The Secret that holds the certificate and its key. */
  secret: string;
  /** The certificate of its authority. */
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
  const authority = await createAuthority(stateDir, host, { env, signal });
  const { key, cert } = await authority.issue(2);
  await kubectl.apply({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET } },
    ...{ type: 'kubernetes.io/tls', stringData: { 'tls.crt': cert, 'tls.key': key } },
  });
  return { secret: SECRET, file: authority.file };
}

export const removeCertificate = async ({ kubectl }: TestRun): Promise<void> =>
  void (await kubectl.run('delete', 'secret', SECRET, '--ignore-not-found'));
