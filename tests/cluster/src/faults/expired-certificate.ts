import { findOnPath } from '@dtplatform/stack';
import { nodeImage } from '../context.js';
import { underLoad, UNANSWERED } from '../load/load.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';
import { untilAllReady, untilNoneReady, withoutRestarts } from '../pods/all-ready.js';
import { createAuthority, type Authority } from '../tools/authority.js';

/** Names the pod, its Service, and its ConfigMap and Secret. */
const NAME = 'tls-backends';
const PORTS = { mongodb: 27_017, redis: 6379, s3: 9000 };
const PROXY = `
const { readFileSync } = require('node:fs');
const [key, cert] = ['key', 'cert'].map((name) => readFileSync('/certificate/' + name));
for (const [host, port] of Object.entries(JSON.parse(process.argv[1])))
  require('node:tls')
    .createServer({ key, cert }, (client) => {
      const server = require('node:net').connect({ host, port });
      client.pipe(server).pipe(client);
      for (const one of [client, server]) one.on('error', () => [client, server].forEach((each) => each.destroy()));
    })
    .on('tlsClientError', () => {})
    .listen(port);
`;

/**
 * The certificates of MongoDB, Redis and S3 expire: requests get a 503, no pod restarts, and new certificates restore
 * service. The development backends have no TLS, so a proxy in front of them terminates it.
 */
export async function expiredCertificate(run: TestRun): Promise<void> {
  const { kubectl, report, stateDir, env, signal } = run;
  if (!findOnPath('openssl', env)) return void run.skip('faults: expired certificate', 'openssl is not on the PATH');
  const authority = await createAuthority(stateDir, NAME, { env, signal });
  try {
    await startProxy(run, authority, 1);
    const took = await upgradeWith(run, { values: VALUES });
    report.ready('expired certificate', `backends over TLS after ${took.toFixed(1)} s`);
    await withoutRestarts(run, () =>
      underLoad(run, { what: 'expired certificate', mayFail: UNANSWERED }, async () => {
        await startProxy(run, authority, 0);
        await untilNoneReady(run);
        report.ready('expired certificate', 'no pod was ready');
        await startProxy(run, authority, 1);
        await untilAllReady(run);
        report.ready('expired certificate', 'every pod is ready with new certificates, no container restarted');
      }),
    );
  } finally {
    await upgradeWith(run);
    await kubectl.run('delete', 'pod,service,secret,configmap', NAME, '--ignore-not-found');
  }
}

const VALUES = {
  global: {
    mongodb: { existingSecret: NAME, urlKey: 'mongodb-url' },
    redis: { existingSecret: NAME, urlKey: 'redis-url' },
    s3: { endpoint: `https://${NAME}:${PORTS.s3}` },
    certificateAuthority: { existingConfigMap: NAME },
  },
};

/** Starts or replaces the proxy with a certificate that is valid for some days; 0 has already expired. */
async function startProxy({ kubectl, options }: TestRun, authority: Authority, days: number): Promise<void> {
  const { key, cert } = await authority.issue(days);
  const labels = { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/part-of': 'dtplatform' };
  const urls = {
    'mongodb-url': `mongodb://${NAME}:${PORTS.mongodb}/?replicaSet=rs0&directConnection=true&tls=true`,
    'redis-url': `rediss://${NAME}:${PORTS.redis}`,
  };
  const ports = Object.entries(PORTS).map(([name, port]) => ({ name, port }));
  const metadata = { name: NAME, labels };
  await kubectl.run('delete', 'pod', NAME, '--ignore-not-found', '--wait');
  await kubectl.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'ca.crt': authority.certificate } },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key, cert, ...urls } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { 'app.kubernetes.io/name': NAME }, ports } },
    proxyPod(nodeImage(options), metadata),
  );
  await kubectl.run('wait', `pod/${NAME}`, '--for=condition=Ready', '--timeout=120s');
}

const proxyPod = (image: string, metadata: object) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata },
  spec: {
    ...{ automountServiceAccountToken: false, terminationGracePeriodSeconds: 0 },
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: 10_001, fsGroup: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
    },
    containers: [
      {
        ...{ name: 'proxy', image, command: ['node', '--eval', PROXY, JSON.stringify(PORTS)] },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        resources: { limits: { memory: '256Mi' } },
        volumeMounts: [{ name: 'certificate', mountPath: '/certificate', readOnly: true }],
      },
    ],
    volumes: [{ name: 'certificate', secret: { secretName: NAME, defaultMode: 0o440 } }],
  },
});
