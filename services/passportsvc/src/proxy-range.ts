import ipaddr from 'ipaddr.js';

/** Ranges that Express knows by name. */
const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether Express accepts this as proxies to trust. */
export const isProxyRange = (text: string): boolean => NAMES.includes(text) || ipaddr.isValid(text) || isCidr(text);

function isCidr(text: string): boolean {
  try {
    ipaddr.parseCIDR(text);
    return true;
  } catch {
    return false;
  }
}
