import { writeFile } from 'node:fs/promises';
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
import { untilSettled } from '../settled.js';
import type { TestRun } from '../test-run.js';
import { runTool } from '../tools/run-tool.js';
import { upgradeWith } from '../upgrade-with.js';
import { nameAddress } from '../visit/name-address.js';

const VISIT = path.join(repoRoot, 'tools/cluster/dist/visit/main.js');
const LARGE = { uploadMb: 200, silentSeconds: 65 };
const SMALL = { uploadMb: 20, silentSeconds: 0 };

/** Uses the platform from outside through an Ingress, with and without TLS, and through an HTTPRoute. */
export async function ingress(run: TestRun): Promise<void> {
  try {
    const tested = [await throughIngress(run), await throughGateway(run)];
    if (tested.includes(true)) await upgradeWith(run, { name: 'node-port', values: {} });
  } finally {
    await removeEntrances(run);
    await removeCertificate(run);
  }
}

/** Resolves with whether the platform was changed. */
async function throughIngress(run: TestRun): Promise<boolean> {
  const entrance = await findIngressEntrance(run);
  if (typeof entrance === 'string') return skip(run, 'ingress: Ingress', entrance);
  const what = `Ingress of class ${entrance.className} at ${entrance.address}`;
  const { className } = entrance;
  const plain = routed('http', run, entrance, { ingress: { enabled: true, className } });
  await apply(run, what, plain.values);
  await visit(run, plain.dev, entrance, LARGE);
  await upgradeThrough(run, plain, entrance);

  const https = 'ingress: HTTPS';
  if (!canCertify(run)) run.skip(https, 'this machine has no openssl');
  else if (!(await speaksTls(entrance.address, hostOf(run))))
    run.skip(https, `nothing speaks TLS at port 443 of ${entrance.address}`);
  else await throughTls(run, entrance);
  return true;
}

async function throughTls(run: TestRun, entrance: Entrance): Promise<void> {
  const { secret: tlsSecret, file } = await certify(run, hostOf(run));
  const { className } = entrance;
  const { dev, values } = routed('https', run, entrance, { ingress: { enabled: true, className, tlsSecret } });
  await apply(run, 'Ingress with TLS', values);
  await visit(run, dev, entrance, { ...SMALL, trust: file });
}

/** Resolves with whether the platform was changed. */
async function throughGateway(run: TestRun): Promise<boolean> {
  const entrance = await createGateway(run);
  if (typeof entrance === 'string') return skip(run, 'ingress: HTTPRoute', entrance);
  const gatewayApi = { enabled: true, parentRefs: [{ name: ENTRANCE }], timeouts: { request: '0s' } };
  const { dev, values } = routed('http', run, entrance, { gatewayApi });
  await apply(run, `HTTPRoute, Gateway of class ${entrance.className} at ${entrance.address}`, values);
  await visit(run, dev, entrance, LARGE);
  return true;
}

function skip(run: TestRun, what: string, reason: string): false {
  run.skip(what, reason);
  return false;
}

/** The platform behind an entrance: how clients reach it, and the values for that. */
function routed(scheme: string, run: TestRun, { peers }: Entrance, values: object) {
  const baseUrl = `${scheme}://${hostOf(run)}`;
  const global = { baseUrl, networkPolicy: { ingressControllers: peers } };
  return { dev: { ...run.dev, baseUrl }, values: { global, ...values } };
}

async function apply(run: TestRun, what: string, values: object): Promise<void> {
  const took = await upgradeWith(run, { name: 'ingress', values });
  await untilSettled(run);
  run.report.ready('ingress', `${what}, ready after ${took.toFixed(1)} s`);
}

/** No request through the entrance fails while pods are replaced: neither routes nor idle connections are out of date. */
async function upgradeThrough(run: TestRun, { dev, values }: { dev: DevJson; values: object }, { address }: Entrance) {
  const forget = nameAddress(hostOf(run), address);
  try {
    await underLoad({ ...run, dev }, { what: 'ingress', mayFail: false }, async () => {
      const took = await upgradeWith(run, { name: 'ingress', values, tag: TAGS.second });
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
  const { stateDir, env, signal } = run;
  const file = path.join(stateDir, 'visit.json');
  await writeFile(file, JSON.stringify(dev), { mode: 0o600 });
  const { uploadMb, silentSeconds, trust } = options;
  const args = ['--upload-mb', String(uploadMb), '--silent-seconds', String(silentSeconds)];
  await runTool(process.execPath, ['--enable-source-maps', VISIT, '--dev', file, '--address', address, ...args], {
    ...{ cwd: repoRoot, signal, onLine: console.log },
    env: { ...env, ...(trust && { NODE_EXTRA_CA_CERTS: trust }) },
  });
}
