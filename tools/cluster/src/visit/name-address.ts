import dns from 'node:dns';

/**
 * Lets this process reach an address under a host name that no name server knows, with every client. The address may be a
 * host name itself. Returns a function that forgets it.
 */
export function nameAddress(host: string, address: string): () => void {
  const { lookup } = dns;
  const named = (name: string, ...rest: unknown[]) =>
    Reflect.apply(lookup, dns, [name === host ? address : name, ...rest]) as void;
  Object.assign(dns, { lookup: named });
  return () => void Object.assign(dns, { lookup });
}
