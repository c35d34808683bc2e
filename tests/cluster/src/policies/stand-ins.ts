import { parseAllDocuments } from 'yaml';
import type { TestRun } from '../test-run.js';
import { RELEASE } from '../tools/helm.js';
import type { Kubectl } from '../tools/kubectl.js';

type Labels = Record<string, string>;

/** Marks the pods of this test. */
export const MARK = 'dtplatform/stand-in';
/** Labels of controllers; a ReplicaSet would adopt a pod with them. */
const OF_CONTROLLERS = ['pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name'];
const LISTEN = `
const net = require('node:net');
for (const port of process.argv.slice(1)) net.createServer((socket) => socket.end()).listen(Number(port));
`;

export interface StandIn {
  name: string;
  labels: Labels;
  /** The ports on which it listens. */
  ports: readonly number[];
}

export const podOf = (name: string): string => `stand-in-${name}`;

/** Starts pods with the same labels that run Node.js, so that policies treat them alike. No Service routes to them. */
export async function startStandIns(kubectl: Kubectl, image: string, standIns: StandIn[]): Promise<void> {
  await kubectl.apply(...standIns.map((standIn) => manifest(standIn, image)));
  await kubectl.run('wait', 'pod', `--selector=${MARK}`, '--for=condition=ContainersReady', '--timeout=180s');
}

export const removeStandIns = (kubectl: Kubectl): Promise<string> =>
  kubectl.run('delete', 'pod', `--selector=${MARK}`, '--wait', '--timeout=60s');

function manifest({ name, labels, ports }: StandIn, image: string) {
  const kept = Object.fromEntries(Object.entries(labels).filter(([key]) => !OF_CONTROLLERS.includes(key)));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podOf(name), labels: { ...kept, [MARK]: name } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      // Nobody sets this condition, so the pod is never ready and no Service that selects its labels routes to it.
      readinessGates: [{ conditionType: MARK }],
      securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          ...{ name: 'node', image, command: ['node', '--eval', LISTEN, ...ports.map(String)] },
          resources: { requests: { cpu: '5m', memory: '48Mi' }, limits: { memory: '256Mi' } },
          securityContext: {
            ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          },
        },
      ],
    },
  };
}

/** An object of the release that is a pod or creates pods. */
interface Rendered {
  kind?: string;
  metadata?: { name: string; labels: Labels };
  spec?: { template?: { metadata?: { labels?: Labels } } };
}

const COMPONENT = 'app.kubernetes.io/component';

/** Labels of pods that do not run continuously, by name: migrations (such as `filesvc-migrate`) and tests. */
export async function labelsOfShortPods({ helm }: Pick<TestRun, 'helm'>): Promise<Map<string, Labels>> {
  const [manifests, hooks] = await Promise.all(['manifest', 'hooks'].map((part) => helm.run('get', part, RELEASE)));
  const objects = [manifests!, hooks!].flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Rendered));
  return shortPods(objects);
}

export function shortPods(objects: (Rendered | null)[]): Map<string, Labels> {
  const found = new Map<string, Labels>();
  for (const object of objects) {
    const labels = object?.kind === 'Pod' ? object.metadata?.labels : object?.spec?.template?.metadata?.labels;
    if (object?.metadata === undefined || !['migration', 'test'].includes(labels?.[COMPONENT] ?? '')) continue;
    // In an install, the name of a migration ends with a hash of its pod.
    found.set(object.metadata.name.replace(/-migrate-[0-9a-f]{8}$/, '-migrate'), labels!);
  }
  return found;
}
