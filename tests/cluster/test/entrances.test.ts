import { describe, expect, it } from '@jest/globals';
import { peersAt, type ListedPod, type ListedService } from '../src/ingress/peers.js';
import { addressOf, chooseGatewayClass, chooseIngressClass } from '../src/ingress/status.js';

const ADDRESS = '192.0.2.7';

describe('the entrance of a cluster', () => {
  it('is the default IngressClass, or the first one', () => {
    const isDefault = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
    const [internal, web] = [{ metadata: { name: 'internal' } }, { metadata: { name: 'web', annotations: isDefault } }];
    expect(chooseIngressClass([internal, web])).toBe('web');
    expect(chooseIngressClass([internal])).toBe('internal');
    expect(chooseIngressClass([])).toBeUndefined();
  });

  it('is a GatewayClass that a controller has accepted', () => {
    const gatewayClass = (name: string, status: string) => ({
      metadata: { name },
      status: { conditions: [{ type: 'Accepted', status }] },
    });
    const classes = [{ metadata: { name: 'unseen' } }, gatewayClass('refused', 'False'), gatewayClass('web', 'True')];
    expect(chooseGatewayClass(classes)).toBe('web');
    expect(chooseGatewayClass(classes.slice(0, 2))).toBeUndefined();
  });

  it.each([
    ['an Ingress with an address', { loadBalancer: { ingress: [{ ip: ADDRESS }] } }, ADDRESS],
    ['an Ingress with a host name', { loadBalancer: { ingress: [{ hostname: 'lb.test' }] } }, 'lb.test'],
    ['an Ingress that no controller has seen', { loadBalancer: {} }, undefined],
    ['a Gateway', { addresses: [{ type: 'IPAddress', value: ADDRESS }] }, ADDRESS],
    ['a Gateway that waits for its address', { conditions: [] }, undefined],
    ['an object without a status', undefined, undefined],
  ])('has the address of %s', (_what, status, address) => {
    expect(addressOf({ metadata: { name: 'cluster-test' }, ...(status && { status }) })).toBe(address);
  });
});

describe('the pods that receive requests for an address', () => {
  const service = (more: Partial<ListedService['spec']>, ip: string): ListedService => ({
    metadata: { namespace: 'web' },
    spec: { type: 'LoadBalancer', selector: { app: 'proxy' }, ...more },
    status: { loadBalancer: { ingress: [{ ip }] } },
  });
  const pod = (port: object, more: Partial<ListedPod['spec']> = {}): ListedPod => ({
    metadata: { namespace: 'web', labels: { app: 'proxy', 'pod-template-hash': 'abc' } },
    spec: { containers: [{ ports: [port] }], ...more },
    status: { hostIP: '192.0.2.1' },
  });
  const proxies = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'web' } },
    podSelector: { matchLabels: { app: 'proxy' } },
  };
  const peers = (...objects: (ListedService | ListedPod)[]) =>
    peersAt(ADDRESS, {
      services: objects.filter((object): object is ListedService => !('containers' in object.spec)),
      pods: objects.filter((object): object is ListedPod => 'containers' in object.spec),
    });

  it("are those of a load balancer's Service", () => {
    expect(peers(service({}, ADDRESS))).toEqual([proxies]);
    expect(peers(service({}, '192.0.2.8'), service({ type: 'ClusterIP' }, ADDRESS))).toEqual([]);
  });

  it('are those with a host web port, by their common labels', () => {
    expect(peers(pod({ hostPort: 80, hostIP: ADDRESS }), pod({ hostPort: 443 }))).toEqual([proxies]);
    expect(peers(pod({ hostPort: 80, hostIP: '192.0.2.8' }), pod({ hostPort: 9100 }), pod({}))).toEqual([]);
  });

  it("are an address if they are in the node's network", () => {
    expect(peers(pod({ hostPort: 80 }, { hostNetwork: true }))).toEqual([{ ipBlock: { cidr: '192.0.2.1/32' } }]);
  });
});
