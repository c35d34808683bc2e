import { nodeImage } from '../context.js';
import { underLoad, UNANSWERED } from '../load/load.js';
import type { TestRun } from '../test-run.js';
import { untilAllReady, untilNoneReady, withoutRestarts } from '../pods/all-ready.js';
import { inMongo } from '../tools/in-pod.js';
import { expectFailure } from './expect-failure.js';

const POD = 'mongodb-small';
const SIZE_MIB = 1024;
/**
 * Keeps the volume full while a control file exists: a MongoDB that ends frees space, and would start again with it.
 */
const FILLER = `
const { closeSync, existsSync, openSync, rmSync, writeSync } = require('node:fs');
setInterval(() => {
  if (!existsSync('/data/fill')) return rmSync('/data/ballast', { force: true });
  const file = openSync('/data/ballast', 'a');
  for (let size = 1 << 20; size >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
      size >>= 1;
    }
  }
  closeSync(file);
}, 50);
`;
const FILL = `require('node:fs').writeFileSync('/data/fill', '')`;
const EMPTY = `require('node:fs').rmSync('/data/fill')`;
/**
 * MongoDB reuses the space in its files for a long time, so something else must fill it. The data ends with the pod.
 */
const STORE_MORE = `
const { randomBytes } = await import('node:crypto');
const more = db('more').collection('more');
try {
  for (let n = 0; n < ${SIZE_MIB}; n += 1)
    await more.insertOne({ bytes: randomBytes(1 << 20) }, { writeConcern: { w: 1, j: true } });
} catch (error) {
  console.error('not stored: ' + error.message);
  process.exitCode = 1;
}`;

/**
 * MongoDB's volume is full: requests get a 503, no pod restarts, and no acknowledged write is lost once there is space
 * again. MongoDB's own volume may share a disk with others, so a MongoDB with a copy of the data on a small in-memory
 * volume replaces it during the test.
 */
export async function fullVolume(run: TestRun): Promise<void> {
  const { kubectl, uninterrupted, report } = run;
  try {
    await kubectl.run('scale', 'statefulset/mongodb', '--replicas=0');
    await kubectl.run('wait', 'pod/mongodb-0', '--for=delete', '--timeout=120s');
    await kubectl.apply(await smallMongod(run));
    await kubectl.run('wait', `pod/${POD}`, '--for=condition=Ready', '--timeout=180s');
    await untilAllReady(run);
    await withoutRestarts(run, () =>
      underLoad(run, { what: 'full volume', mayFail: UNANSWERED }, async () => {
        const inPod = (program: string) =>
          kubectl.run('exec', POD, '--container=filler', '--', 'node', '--eval', program);
        await inPod(FILL);
        await expectFailure('storing more than the volume holds', 'not stored:', () => inMongo(kubectl, STORE_MORE));
        await untilNoneReady(run);
        report.ready('full volume', 'MongoDB ended, no pod was ready');
        await inPod(EMPTY);
        await untilAllReady(run);
        report.ready('full volume', 'every pod is ready again, no container of the platform restarted');
      }),
    );
  } finally {
    await uninterrupted.run('delete', 'pod', POD, '--ignore-not-found', '--wait', '--timeout=120s');
    await uninterrupted.run('scale', 'statefulset/mongodb', '--replicas=1');
    await untilAllReady(run);
  }
}

interface StatefulSet {
  spec: { template: { spec: { securityContext: object; containers: { securityContext: object }[] } } };
}

/** The MongoDB of the StatefulSet, behind the same Service, next to a container that can fill its volume. */
async function smallMongod({ kubectl, options }: TestRun) {
  const found = JSON.parse(await kubectl.run('get', 'statefulset/mongodb', '--output=json')) as StatefulSet;
  const { securityContext, containers } = found.spec.template.spec;
  const mongod = containers[0]!;
  const data = { name: 'data', mountPath: '/data' };
  const node = { image: nodeImage(options), securityContext: mongod.securityContext };
  const copy = `require('node:fs').cpSync('/from', '/data', { recursive: true })`;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      name: POD,
      labels: { 'app.kubernetes.io/name': 'mongodb', 'app.kubernetes.io/part-of': 'dtplatform' },
    },
    spec: {
      securityContext,
      automountServiceAccountToken: false,
      initContainers: [
        {
          ...{ ...node, name: 'copy', command: ['node', '--eval', copy] },
          volumeMounts: [data, { name: 'from', mountPath: '/from', readOnly: true }],
        },
      ],
      containers: [
        { ...mongod, resources: { limits: { memory: `${2 * SIZE_MIB + 1024}Mi` } } },
        {
          ...{ ...node, name: 'filler', command: ['node', '--eval', FILLER] },
          volumeMounts: [data],
        },
      ],
      volumes: [
        { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: `${SIZE_MIB}Mi` } },
        { name: 'tmp', emptyDir: {} },
        { name: 'from', persistentVolumeClaim: { claimName: 'data-mongodb-0', readOnly: true } },
      ],
    },
  };
}
