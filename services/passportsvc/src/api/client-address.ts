import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address that name a network: whoever has one has all of its addresses. */
const IPV6_NETWORK = 4;

/** Where a request comes from: the address that the first proxy that is not trusted reports, or the network of an IPv6 address. */
export function clientAddress(req: IncomingMessage): string {
  const { ip = '' } = req as Request;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return address.parts
    .slice(0, IPV6_NETWORK)
    .map((group) => group.toString(16))
    .join(':');
}
