import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';

/** All addresses of a host name, as the system resolves it. Rejects if there are none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

export const systemLookup: Lookup = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
