/** Fields of cluster objects about incoming requests. */
export interface ClusterObject {
  metadata: { name: string; annotations?: Record<string, string> };
  status?: {
    /** Set for an Ingress. */
    loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] };
    /** Set for a Gateway. */
    addresses?: { type?: string; value: string }[];
    /** Set for a GatewayClass. */
    conditions?: { type: string; status: string }[];
  };
}

const DEFAULT = 'ingressclass.kubernetes.io/is-default-class';

/** The cluster's default IngressClass or, without one, its first. */
export function chooseIngressClass(classes: ClusterObject[]): string | undefined {
  const isDefault = ({ metadata }: ClusterObject) => metadata.annotations?.[DEFAULT] === 'true';
  return (classes.find(isDefault) ?? classes[0])?.metadata.name;
}

/** The first GatewayClass that a controller has accepted. */
export const chooseGatewayClass = (classes: ClusterObject[]): string | undefined =>
  classes.find(({ status }) => status?.conditions?.some((it) => it.type === 'Accepted' && it.status === 'True'))
    ?.metadata.name;

/** The address or host name of an Ingress or a Gateway; undefined while it has none. */
export function addressOf({ status }: ClusterObject): string | undefined {
  const [balancer] = status?.loadBalancer?.ingress ?? [];
  return balancer?.ip ?? balancer?.hostname ?? status?.addresses?.[0]?.value;
}
