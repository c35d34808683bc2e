import type { TestRun } from '../test-run.js';
import { isReady, type Kubectl, type Pod } from '../tools/kubectl.js';
import { ADDRESSES, APIS, STRANGERS, WORKERS } from './listed-flows.js';
import { labelsOfShortPods, MARK, podOf, startStandIns, type StandIn } from './stand-ins.js';

/** Where flows start, or where they lead. */
export interface Place {
  name: string;
  address: string;
  /** Undefined for an address that is not a pod's. */
  pod?: { kubectl: Kubectl; name: string };
  /** Ports that surely accept connections. */
  listens: readonly number[];
}

export interface Places {
  sources: Place[];
  targets: Place[];
}

export const PORTS = [53, 443, 5353, 6379, 8080, 8081, 9000, 9090, 27_017];
const UNPRIVILEGED = PORTS.filter((port) => port > 1024);
/** Including plain HTTP, mail servers, brokers, the API server and kubelets. */
export const ADDRESS_PORTS = [...PORTS, 25, 80, 587, 1883, 6443, 8883, 10_250];
const METADATA = '169.254.169.254';

const REPLICA_SET = 'mongodb-replica-set';
const SERVERS = { mongodb: [27_017], redis: [6379], s3: [9000], gateway: [8080, 9000] };

/** Starts the pods of the other namespace. */
export async function startStrangers(run: TestRun, other: Kubectl, image: string): Promise<Place[]> {
  const { labels } = podsOf(await platformPods(run.kubectl), 'datasourcesvc')[0]!.metadata;
  const names = [STRANGERS.elsewhere, STRANGERS.impostor, STRANGERS.ingress, STRANGERS.monitoring];
  const standIns = names.map((name) => ({
    ...{ name, labels: name === STRANGERS.impostor ? labels : {}, ports: UNPRIVILEGED },
  }));
  return start(other, image, standIns);
}

/**
 * Finds the pods of the platform, and starts stand-ins for programs that run shortly and for images without Node.js.
 */
export async function findPlaces(run: TestRun, image: string): Promise<Places> {
  const { kubectl } = run;
  const pods = await platformPods(kubectl);
  const servers = Object.entries(SERVERS).map(([name, listens]) => ({ name, listens, pod: podsOf(pods, name)[0]! }));
  const extra = [...(await labelsOfShortPods(run))].map(([name, labels]) => ({ name, labels }));
  const started = await start(kubectl, image, [
    ...[...extra, { name: STRANGERS.unlabelled, labels: {} }].map((one) => ({ ...one, ports: UNPRIVILEGED })),
    ...servers.map(({ name, pod }) => ({ name, labels: pod.metadata.labels, ports: UNPRIVILEGED })),
  ]);
  const programs = [...APIS, ...WORKERS, REPLICA_SET].map((name) => ({ name, pods: podsOf(pods, name) }));
  const placed = (name: string, pod: Pod) => placeOf(kubectl, name, pod, listensOf(name));
  return {
    sources: [...programs.map(({ name, pods: [pod] }) => placed(name, pod!)), ...started],
    // Of two replicas, one is the source and the other the target.
    targets: [
      ...programs.map(({ name, pods: all }) => placed(name, all.at(-1)!)),
      ...started.filter(({ name }) => !(name in SERVERS)),
      ...servers.map(({ name, pod, listens }) => placeOf(kubectl, name, pod, listens)),
    ],
  };
}

/** Addresses other than pods. */
export async function findAddresses({ kubectl, options }: TestRun): Promise<Place[]> {
  const query = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  const node = (await kubectl.run('get', 'nodes', '--output', `jsonpath=${query}`)).trim();
  const addresses = {
    [ADDRESSES.metadata]: METADATA,
    [ADDRESSES.node]: node,
    [ADDRESSES.public]: options.publicAddress,
  };
  return Object.entries(addresses).flatMap(([name, address]) => (address ? [{ name, address, listens: [] }] : []));
}

const platformPods = async (kubectl: Kubectl): Promise<Pod[]> => (await kubectl.pods(`!${MARK}`)).filter(isReady);

/** The ready pods of a program or server. */
function podsOf(pods: Pod[], name: string): Pod[] {
  const isServer = name in SERVERS || name === REPLICA_SET;
  const [service, component = 'api'] = name.split('-');
  const found = pods.filter(({ metadata: { labels } }) =>
    isServer
      ? labels['app.kubernetes.io/name'] === name
      : labels['app.kubernetes.io/name'] === service && labels['app.kubernetes.io/component'] === component,
  );
  if (found.length === 0) throw new Error(`${name} has no ready pod`);
  return found;
}

function listensOf(program: string): number[] {
  if (program === REPLICA_SET) return [8081];
  return APIS.includes(program) ? [8080, 9090] : [9090];
}

async function start(kubectl: Kubectl, image: string, standIns: StandIn[]): Promise<Place[]> {
  await startStandIns(kubectl, image, standIns);
  const pods = await kubectl.pods(MARK);
  return standIns.map(({ name, ports }) => {
    const pod = pods.find(({ metadata }) => metadata.name === podOf(name))!;
    return placeOf(kubectl, name, pod, ports);
  });
}

const placeOf = (kubectl: Kubectl, name: string, { metadata, status }: Pod, listens: readonly number[]): Place => ({
  ...{ name, address: status.podIP!, listens },
  pod: { kubectl, name: metadata.name },
});
