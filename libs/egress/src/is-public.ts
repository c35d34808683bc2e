import ipaddr from 'ipaddr.js';

/** IANA's global unicast space. What lies outside is local, reserved, or embeds an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Beyond the ranges that ipaddr.js knows: benchmarks, and the metadata service of Azure, which has a public address. */
const NOT_PUBLIC_IPV4 = ['198.18.0.0/15', '168.63.129.16/32'].map((network) => ipaddr.IPv4.parseCIDR(network));
/** The IETF's protocol assignments and documentation. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '3fff::/20'].map((network) => ipaddr.IPv6.parseCIDR(network));

/** Whether an address is one of the public internet: not private, local, shared, reserved, multicast or mapped. */
export function isPublic(text: string): boolean {
  // Of IPv6, ipaddr.js does not read all forms.
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !NOT_PUBLIC_IPV4.some((network) => (address as ipaddr.IPv4).match(network));
  const ipv6 = address as ipaddr.IPv6;
  return ipv6.match(GLOBAL_IPV6) && !NOT_PUBLIC_IPV6.some((network) => ipv6.match(network));
}
