import dns from 'node:dns';

/**
 * Makes an address reachable in this process under a host name without DNS, for every client. The address may be a host
 * name itself. Returns a function that reverts it.
 */
export function nameAddress(host: string, address: string): () => void {
  const { lookup } = dns;
  const named = (name: string, ...rest: unknown[]) =>
    Reflect.apply(lookup, dns, [name === host ? address : name, ...rest]) as void;
  Object.assign(dns, { lookup: named });
  return () => void Object.assign(dns, { lookup });
}
