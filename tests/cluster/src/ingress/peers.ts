/** Peers of a NetworkPolicy. */
export type Peer =
  { namespaceSelector: { matchLabels: Labels }; podSelector: { matchLabels: Labels } } | { ipBlock: { cidr: string } };

type Labels = Record<string, string>;

export interface ListedService {
  metadata: { namespace: string };
  spec: { type?: string; selector?: Labels };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

export interface ListedPod {
  metadata: { namespace: string; labels?: Labels };
  spec: { hostNetwork?: boolean; containers: { ports?: { hostPort?: number; hostIP?: string }[] }[] };
  status: { hostIP?: string };
}

const WEB_PORTS = [80, 443];
const EVERY_ADDRESS = ['', '0.0.0.0', '::'];
/** Labels that differ between the pods of a controller or change with its version. */
const OF_ONE_POD = /^(pod-template-(hash|generation)|controller-revision-hash|(statefulset|apps)\.kubernetes\.io\/.*)$/;

/**
 * The pods that receive requests for an address: those of a load balancer's Service, and those with a host port. Empty
 * if the cluster has none.
 */
export function peersAt(address: string, { services, pods }: { services: ListedService[]; pods: ListedPod[] }): Peer[] {
  const peers = [
    ...services.filter((service) => isBalancedAt(address, service)).map(podsOf),
    ...pods.filter((pod) => hasNodePort(address, pod)).map(podOf),
  ];
  return [...new Map(peers.map((peer) => [JSON.stringify(peer), peer])).values()];
}

const isBalancedAt = (address: string, { spec, status }: ListedService): boolean =>
  spec.type === 'LoadBalancer' &&
  spec.selector !== undefined &&
  (status?.loadBalancer?.ingress ?? []).some(({ ip, hostname }) => ip === address || hostname === address);

const hasNodePort = (address: string, { spec }: ListedPod): boolean =>
  spec.containers
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ hostPort }) => hostPort !== undefined && WEB_PORTS.includes(hostPort))
    .some(({ hostIP = '' }) => hostIP === address || EVERY_ADDRESS.includes(hostIP));

const podsOf = ({ metadata, spec }: ListedService): Peer => peer(metadata.namespace, spec.selector!);

/** Policies cannot select a pod in its node's network, only the node's address. */
function podOf({ metadata, spec, status }: ListedPod): Peer {
  if (spec.hostNetwork) return { ipBlock: { cidr: `${status.hostIP}/${status.hostIP?.includes(':') ? 128 : 32}` } };
  const lasting = Object.entries(metadata.labels ?? {}).filter(([name]) => !OF_ONE_POD.test(name));
  return peer(metadata.namespace, Object.fromEntries(lasting));
}

const peer = (namespace: string, matchLabels: Labels): Peer => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels },
});
