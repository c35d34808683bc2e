import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AllowList } from './allow-list.js';
import { EgressRejected } from './errors.js';

export interface Target {
  /** A name, or an IP address without brackets. */
  host: string;
  isAddress: boolean;
  /** Whether only hosts on the allow-list may be called like this: plain HTTP, or the port of another protocol. */
  needsAllowing: boolean;
}

const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1024;

/** The URL parser normalizes hosts: `http://0x7f.1` is `127.0.0.1`. @throws EgressRejected */
export function targetOf(url: string): Target {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    throw new EgressRejected('must be a URL that starts with https://');
  }
  if (parsed.username !== '' || parsed.password !== '') throw new EgressRejected('must not contain credentials');
  const { protocol, hostname, port } = parsed;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isUsualPort = port === '' || Number(port) === HTTPS_PORT || Number(port) >= FIRST_FREE_PORT;
  return { host, isAddress: isIP(host) !== 0, needsAllowing: protocol === 'http:' || !isUsualPort };
}

/**
 * @param addresses all addresses of the host; none if it does not resolve. All must be allowed. @throws EgressRejected
 */
export function requireAllowed(
  { host, needsAllowing }: Omit<Target, 'isAddress'>,
  addresses: string[],
  list: AllowList,
) {
  if (list.hasHost(host)) return;
  if (addresses.length > 0 && addresses.every((address) => list.hasAddress(address))) return;
  if (needsAllowing) throw new EgressRejected('must use HTTPS, on port 443 or a port above 1023');
  if (!addresses.every((address) => isPublic(address) || list.hasAddress(address))) {
    throw new EgressRejected('must not lead to a private or reserved address');
  }
}

/** IANA's global unicast range. Addresses outside are local, reserved, or embed an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Not in ipaddr.js: benchmarking, and Azure's metadata service, which has a public address. */
const NOT_PUBLIC_IPV4 = ['198.18.0.0/15', '168.63.129.16/32'].map((network) => ipaddr.IPv4.parseCIDR(network));
/** IETF protocol assignments and documentation. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '3fff::/20'].map((network) => ipaddr.IPv6.parseCIDR(network));

/** Whether an address is on the public internet: not private, local, shared, reserved, multicast or mapped. */
function isPublic(text: string): boolean {
  // ipaddr.js does not parse all forms of IPv6.
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !NOT_PUBLIC_IPV4.some((network) => (address as ipaddr.IPv4).match(network));
  const ipv6 = address as ipaddr.IPv6;
  return ipv6.match(GLOBAL_IPV6) && !NOT_PUBLIC_IPV6.some((network) => ipv6.match(network));
}
