import ipaddr from 'ipaddr.js';

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?$/i;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What the operator allows beyond public addresses. */
export interface AllowList {
  hasHost(name: string): boolean;
  hasAddress(address: string): boolean;
}

/** Whether an entry is an IP address, a network (`10.1.0.0/16`) or a host name. */
export const isAllowEntry = (entry: string): boolean => networkOf(entry) !== undefined || isHostName(entry);

/** @param entries see `isAllowEntry` */
export function createAllowList(entries: readonly string[]): AllowList {
  const networks = entries.flatMap((entry) => [networkOf(entry)].filter((network) => network !== undefined));
  const names = new Set(entries.filter(isHostName).map(comparable));
  return {
    hasHost: (name) => names.has(comparable(name)),
    hasAddress(text) {
      if (!ipaddr.isValid(text)) return false;
      // An IPv4-mapped IPv6 address reaches the same host.
      const address = ipaddr.process(text);
      return networks.some(([network, bits]) => address.kind() === network.kind() && matches(address, network, bits));
    },
  };
}

/** Names that consist of digits and dots are addresses. */
const isHostName = (entry: string) => HOST_NAME.test(entry) && !/^[\d.]+$/.test(entry);

const comparable = (name: string) => name.toLowerCase().replace(/\.$/, '');

function networkOf(entry: string): Network | undefined {
  try {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry);
    if (!ipaddr.IPv6.isValid(entry) && !ipaddr.IPv4.isValidFourPartDecimal(entry)) return undefined;
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return undefined;
  }
}

const matches = (address: Network[0], network: Network[0], bits: number) =>
  (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits);
