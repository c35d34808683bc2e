import { readFileSync } from 'node:fs';

/** Where Redis is, and how it is run. */
export interface RedisAddress {
  kind: 'standalone' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or some nodes of the cluster. */
  hosts: { host: string; port: number }[];
  db: number;
  username: string | undefined;
  password: string | undefined;
  tls: { ca: string | undefined; cert: string | undefined; key: string | undefined } | undefined;
  /** The name under which the sentinels know the master. */
  masterName: string;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
  /** How many replicas must have a write that revokes something. */
  minReplicas: number;
}

const URL_PARTS = /^redis(s?)(?:-(sentinel|cluster))?:\/\/(?:([^@/?]*)@)?([^@/?]+)(\/[^?]*)?(\?.*)?$/;
const PORTS = { standalone: 6379, sentinel: 26_379, cluster: 6379 };

/**
 * Parses `redis://host:port/db`, `redis-sentinel://host,host/db?sentinelMasterId=name` or `redis-cluster://host,host`;
 * with `rediss` at its beginning for TLS. Options:
 *
 * - `tlsCertificateKeyFile`, a PEM file with a client certificate and its private key, and `tlsCAFile`, as in URLs of
 *   MongoDB.
 * - `sentinelUsername` and `sentinelPassword`, the credentials of the sentinels.
 * - `minReplicas`: a revocation fails with a 503 unless so many replicas confirm it. Default 1 with Sentinel or Cluster,
 *   otherwise 0.
 *
 * @throws when the URL is invalid or a file cannot be read
 */
export function parseRedisUrl(url: string): RedisAddress {
  const [, secure, topology, user = '', hosts = '', path = '', query = ''] = URL_PARTS.exec(url) ?? [];
  const kind = (topology ?? 'standalone') as RedisAddress['kind'];
  const options = new URLSearchParams(query);
  const [username, password] = user.split(':').map(decodeURIComponent);
  const read = (name: string) => (options.get(name) ? readFileSync(options.get(name)!, 'utf8') : undefined);
  const cert = read('tlsCertificateKeyFile');
  const address: RedisAddress = {
    kind,
    hosts: hosts.split(',').map((host) => hostOf(host, PORTS[kind])),
    db: Number(path.slice(1)),
    username: username || undefined,
    password: password || undefined,
    tls: secure ? { ca: read('tlsCAFile'), cert, key: cert } : undefined,
    masterName: options.get('sentinelMasterId') ?? '',
    sentinelUsername: options.get('sentinelUsername') ?? undefined,
    sentinelPassword: options.get('sentinelPassword') ?? undefined,
    minReplicas: Number(options.get('minReplicas') ?? (kind === 'standalone' ? 0 : 1)),
  };
  const problem = hosts === '' ? 'It has no host.' : problemOf(address);
  if (problem) throw new Error(`The URL of Redis is invalid. ${problem}`);
  return address;
}

function hostOf(text: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

function problemOf({ kind, hosts, db, masterName, minReplicas }: RedisAddress): string | undefined {
  if (kind === 'standalone' && hosts.length > 1) return 'Several hosts need redis-sentinel:// or redis-cluster://.';
  if (kind === 'sentinel' && !masterName) return 'Sentinels need the option sentinelMasterId, the name of the master.';
  if (kind === 'cluster' && db !== 0) return 'A cluster has no database other than 0.';
  if (!Number.isInteger(db) || db < 0) return 'Its path must be the number of a database.';
  if (!Number.isInteger(minReplicas) || minReplicas < 0) return 'minReplicas must be a whole number.';
  return undefined;
}
