import { isIP } from 'node:net';
import type { AllowList } from './allow-list.js';
import { EgressRefused } from './errors.js';
import { isPublic } from './is-public.js';

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
    throw new EgressRefused('must be a URL that starts with https://');
  }
  if (parsed.username !== '' || parsed.password !== '') throw new EgressRefused('must not contain credentials');
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
  if (needsAllowing) throw new EgressRefused('must use HTTPS, on port 443 or a port above 1023');
  if (!addresses.every((address) => isPublic(address) || list.hasAddress(address))) {
    throw new EgressRefused('must not lead to a private or reserved address');
  }
}
