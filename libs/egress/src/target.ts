import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AllowList } from './allow-list.js';
import { EgressRejected } from './errors.js';

/** Where a URL leads. */
export interface Target {
  /** A name, or an IP address without brackets. */
  host: string;
  isAddress: boolean;
  /** Plain HTTP and the ports of other protocols are for hosts on the allow-list only. */
  needsAllowing: boolean;
}

const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1024;

/** Hosts come in their usual form from the URL parser: `http://0x7f.1` is `127.0.0.1`. @throws EgressRefused */
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

/** @param addresses all that the host has, none while its name does not resolve; not one may be forbidden @throws EgressRefused */
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

/** IANA's global unicast space. What lies outside is local, reserved, or embeds an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Beyond the ranges that ipaddr.js knows: benchmarks, and the metadata service of Azure, which has a public address. */
const NOT_PUBLIC_IPV4 = ['198.18.0.0/15', '168.63.129.16/32'].map((network) => ipaddr.IPv4.parseCIDR(network));
/** The IETF's protocol assignments and documentation. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '3fff::/20'].map((network) => ipaddr.IPv6.parseCIDR(network));

/** Whether an address is one of the public internet: not private, local, shared, reserved, multicast or mapped. */
function isPublic(text: string): boolean {
  // Of IPv6, ipaddr.js does not read all forms.
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !NOT_PUBLIC_IPV4.some((network) => (address as ipaddr.IPv4).match(network));
  const ipv6 = address as ipaddr.IPv6;
  return ipv6.match(GLOBAL_IPV6) && !NOT_PUBLIC_IPV6.some((network) => ipv6.match(network));
}
