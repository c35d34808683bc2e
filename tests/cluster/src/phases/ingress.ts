import path from 'node:path';
import { repoRoot, type DevJson } from '@dtplatform/stack';
import { TAGS } from '../context.js';
import { canCertify, certify, removeCertificate, speaksTls } from '../ingress/certificate.js';
import {
  createGateway,
  ENTRANCE,
  findIngressEntrance,
  hostOf,
  removeEntrances,
  type Entrance,
} from '../ingress/entrances.js';
import { underLoad } from '../load/load.js';
import { untilAllReady } from '../pods/all-ready.js';
import { writeJson, type TestRun } from '../test-run.js';
import { runTool } from '../tools/run-tool.js';
import { upgradeWith } from '../deploy.js';
import { nameAddress } from '../visit/name-address.js';

const VISIT = path.join(repoRoot, 'tests/cluster/dist/visit/main.js');
const LARGE = { uploadMb: 200, silentSeconds: 65 };
const SMALL = { uploadMb: 20, silentSeconds: 0 };

/**
 * Uses the platform from outside through an Ingress and an HTTPRoute, then through an Ingress with TLS. An upgrade that
 * keeps base URL and version replaces no pods.
 */
export async function ingress(run: TestRun): Promise<void> {
  try {
    const [web, gateway] = [await findIngressEntrance(run), await createGateway(run)];
    if (typeof web === 'string') run.skip('ingress: Ingress', web);
    else await throughIngress(run, web);
    if (typeof gateway === 'string') run.skip('ingress: HTTPRoute', gateway);
    else await throughGateway(run, gateway);
    if (typeof web !== 'string') await throughTls(run, web);
    if (typeof web !== 'string' || typeof gateway !== 'string') await restore(run);
  } finally {
    await removeEntrances(run);
    await removeCertificate(run);
  }
}

async function throughIngress(run: TestRun, entrance: Entrance): Promise<void> {
  const { className, address } = entrance;
  const { dev, values } = routed('http', run, entrance, { ingress: { enabled: true, className } });
  await apply(run, `Ingress of class ${className} at ${address}`, { values, tag: TAGS.first });
  await visit(run, dev, entrance, LARGE);
  await upgradeThrough(run, { dev, values }, entrance);
}

async function throughGateway(run: TestRun, entrance: Entrance): Promise<void> {
  const { className, address } = entrance;
  const gatewayApi = { enabled: true, parentRefs: [{ name: ENTRANCE }], timeouts: { request: '0s' } };
  const { dev, values } = routed('http', run, entrance, { gatewayApi });
  await apply(run, `HTTPRoute, Gateway of class ${className} at ${address}`, { values, tag: TAGS.second });
  await visit(run, dev, entrance, LARGE);
}

async function throughTls(run: TestRun, entrance: Entrance): Promise<void> {
  const { className, address } = entrance;
  if (!canCertify(run)) return void run.skip('ingress: HTTPS', 'this machine has no openssl');
  if (!(await speaksTls(address, hostOf(run))))
    return void run.skip('ingress: HTTPS', `nothing speaks TLS at port 443 of ${address}`);
  const { secret: tlsSecret, file } = await certify(run, hostOf(run));
  const { dev, values } = routed('https', run, entrance, { ingress: { enabled: true, className, tlsSecret } });
  await apply(run, 'Ingress with TLS', { values, tag: TAGS.first });
  await visit(run, dev, entrance, { ...SMALL, trust: file });
}

async function restore(run: TestRun): Promise<void> {
  await upgradeWith(run);
  await untilAllReady(run);
}

/** The platform behind an entrance: its URL for clients, and the values for it. */
function routed(scheme: string, run: TestRun, { peers }: Entrance, values: object) {
  const baseUrl = `${scheme}://${hostOf(run)}`;
  const global = { baseUrl, networkPolicy: { ingressControllers: peers } };
  return { dev: { ...run.dev, baseUrl }, values: { global, ...values } };
}

async function apply(run: TestRun, what: string, upgrade: { values: object; tag: string }): Promise<void> {
  const took = await upgradeWith(run, upgrade);
  await untilAllReady(run);
  run.report.ready('ingress', `${what}, ready after ${took.toFixed(1)} s`);
}

/** No request through the entrance fails while pods are replaced: neither routes nor idle connections are stale. */
async function upgradeThrough(run: TestRun, { dev, values }: { dev: DevJson; values: object }, { address }: Entrance) {
  const forget = nameAddress(hostOf(run), address);
  try {
    await underLoad({ ...run, dev }, { what: 'ingress', mayFail: false }, async () => {
      const took = await upgradeWith(run, { values, tag: TAGS.second });
      run.report.ready('ingress', `upgrade through it took ${took.toFixed(1)} s`);
    });
  } finally {
    forget();
  }
}

interface VisitOptions {
  uploadMb: number;
  silentSeconds: number;
  /** A certificate to trust. */
  trust?: string;
}

async function visit(run: TestRun, dev: DevJson, { address }: Entrance, options: VisitOptions): Promise<void> {
  const { env, signal } = run;
  const file = await writeJson(run, 'visit', dev);
  const { uploadMb, silentSeconds, trust } = options;
  const args = ['--upload-mb', String(uploadMb), '--silent-seconds', String(silentSeconds)];
  await runTool(process.execPath, ['--enable-source-maps', VISIT, '--dev', file, '--address', address, ...args], {
    ...{ cwd: repoRoot, signal, onLine: console.log },
    env: { ...env, ...(trust && { NODE_EXTRA_CA_CERTS: trust }) },
  });
}
