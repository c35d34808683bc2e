import { until } from '@dtplatform/stack';
import type { TestRun } from '../test-run.js';
import { peersAt, type ListedPod, type ListedService, type Peer } from './peers.js';
import { addressOf, chooseGatewayClass, chooseIngressClass, type ClusterObject } from './status.js';

/** The address for requests from outside, and the pods that forward them. */
export interface Entrance {
  /** Name of the IngressClass or the GatewayClass. */
  className: string;
  address: string;
  peers: Peer[];
}

/** Name of the Gateway, and of an Ingress that only serves to find the address. */
export const ENTRANCE = 'cluster-test';
const TIMEOUT_MS = 60_000;
const GATEWAY_CLASSES = 'gatewayclasses.gateway.networking.k8s.io';
const GATEWAYS = 'gateways.gateway.networking.k8s.io';

/** Finds the entrance of Ingresses. Resolves with what the cluster lacks, if there is none. */
export async function findIngressEntrance(run: TestRun): Promise<Entrance | string> {
  const className = chooseIngressClass(await list(run, 'ingressclasses'));
  if (className === undefined) return 'the cluster has no IngressClass';
  const backend = { service: { name: 'gateway', port: { name: 'http' } } };
  const paths = [{ path: '/', pathType: 'Prefix', backend }];
  await run.kubectl.apply({
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: ENTRANCE } },
    spec: { ingressClassName: className, rules: [{ host: `${ENTRANCE}.${hostOf(run)}`, http: { paths } }] },
  });
  return entrance(run, className, 'ingresses');
}

/** Creates a Gateway. Resolves with what the cluster lacks, if that is impossible. */
export async function createGateway(run: TestRun): Promise<Entrance | string> {
  const { kubectl } = run;
  if (!(await kubectl.serves(GATEWAY_CLASSES))) return 'the cluster does not serve the Gateway API';
  const className = chooseGatewayClass(await list(run, GATEWAY_CLASSES));
  if (className === undefined) return 'no controller has accepted a GatewayClass';
  await kubectl.apply({
    ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', metadata: { name: ENTRANCE } },
    spec: { gatewayClassName: className, listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
  });
  return entrance(run, className, GATEWAYS);
}

export async function removeEntrances({ kubectl }: TestRun): Promise<void> {
  await kubectl.run('delete', 'ingress', ENTRANCE, '--ignore-not-found');
  if (await kubectl.serves(GATEWAYS)) await kubectl.run('delete', GATEWAYS, ENTRANCE, '--ignore-not-found');
}

/** The host of the platform, derived from the namespace, because others may use the same controller. */
export const hostOf = ({ options }: TestRun): string => `${options.namespace}.test`;

async function entrance(run: TestRun, className: string, resource: string): Promise<Entrance | string> {
  let address: string | undefined;
  const hasAddress = async () => {
    const object = await run.kubectl.run('get', resource, ENTRANCE, '--output', 'json');
    address = addressOf(JSON.parse(object) as ClusterObject);
    return address !== undefined;
  };
  await until('an address', hasAddress, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal: run.signal }).catch(() => {
    run.signal.throwIfAborted();
  });
  if (address === undefined) return `the controller of class ${className} gives out no address`;
  const all = '--all-namespaces';
  const [services, pods] = [await list<ListedService>(run, 'services', all), await list<ListedPod>(run, 'pods', all)];
  const peers = peersAt(address, { services, pods });
  return peers.length > 0 ? { className, address, peers } : `no pod of the cluster receives requests for ${address}`;
}

async function list<T = ClusterObject>({ kubectl }: TestRun, resource: string, ...args: string[]): Promise<T[]> {
  return (JSON.parse(await kubectl.run('get', resource, ...args, '--output', 'json')) as { items: T[] }).items;
}
