import { readFileSync } from 'node:fs';

/** Where Redis is, and how it is run. */
export interface RedisAddress {
  kind: 'standalone' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or some nodes of the cluster. */
  hosts: { host: string; port: number }[];
  db: number;
  username: string | undefined;
  password: string | undefined;
  /** Of IP: 4, 6, or 0 for both. */
  family: number;
  tls: { ca: string | undefined; cert: string | undefined; key: string | undefined } | undefined;
  /** The name under which the sentinels know the master. */
  masterName: string;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
  /** How many replicas must have a write that revokes something. */
  minReplicas: number;
}

const URL_PARTS = /^redis(s?)(?:-(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^@/?]+)(\/[^?]*)?(\?.*)?$/;
/** Options that turn on TLS. */
const TLS_FILES = ['tlsCertificateKeyFile', 'tlsCAFile'];
const PORTS = { standalone: 6379, sentinel: 26_379, cluster: 6379 };

/**
 * Parses `redis://host:port/db`, `redis-sentinel://host,host/db?sentinelMasterId=name` or `redis-cluster://host,host`;
 * with `rediss` at its beginning for TLS. Options:
 *
 * - `tlsCertificateKeyFile`, a PEM file with a client certificate and its private key, and `tlsCAFile`, as in URLs of
 *   MongoDB.
 * - `sentinelUsername` and `sentinelPassword`, the credentials of the sentinels.
 * - `family`: 4 (default), 6, or 0 for both.
 * - `minReplicas`: a revocation fails with a 503 unless so many replicas confirm it. Default 1 with Sentinel or Cluster,
 *   otherwise 0.
 *
 * @throws when the URL is invalid or a file cannot be read
 */
export function parseRedisUrl(url: string): RedisAddress {
  const [, secure, topology = 'standalone', user = '', hosts = '', path = '', query = ''] = URL_PARTS.exec(url) ?? [];
  if (hosts === '') throw new Error('The URL of Redis is invalid. It has no host.');
  const kind = topology as RedisAddress['kind'];
  const options = new URLSearchParams(query);
  const option = (name: string) => options.get(name) || undefined;
  const [username, password] = [user.replace(/:.*/, ''), user.replace(/^[^:]*:?/, '')].map(decoded);
  const address: RedisAddress = {
    ...{ kind, username, password },
    hosts: hosts.split(',').map((host) => hostOf(host, PORTS[kind])),
    db: Number(path.slice(1)),
    family: Number(option('family') ?? 4),
    tls: secure || TLS_FILES.some(option) ? tlsOf(option) : undefined,
    masterName: option('sentinelMasterId') ?? '',
    sentinelUsername: option('sentinelUsername'),
    sentinelPassword: option('sentinelPassword'),
    minReplicas: Number(option('minReplicas') ?? (kind === 'standalone' ? 0 : 1)),
  };
  const problem = problemOf(address);
  if (problem) throw new Error(`The URL of Redis is invalid. ${problem}`);
  return address;
}

const decoded = (part: string) => decodeURIComponent(part) || undefined;

function tlsOf(option: (name: string) => string | undefined) {
  const read = (file: string | undefined) => file && readFileSync(file, 'utf8');
  const cert = read(option('tlsCertificateKeyFile'));
  return { ca: read(option('tlsCAFile')), cert, key: cert };
}

function hostOf(text: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

function problemOf({ kind, hosts, db, family, masterName, minReplicas }: RedisAddress): string | undefined {
  if (kind === 'standalone' && hosts.length > 1) return 'Several hosts need redis-sentinel:// or redis-cluster://.';
  if (kind === 'sentinel' && !masterName) return 'Sentinels need the option sentinelMasterId, the name of the master.';
  if (kind === 'cluster' && db !== 0) return 'A cluster has no database other than 0.';
  if (!Number.isInteger(db) || db < 0) return 'Its path must be the number of a database.';
  if (![0, 4, 6].includes(family)) return 'family must be 0, 4 or 6.';
  if (!Number.isInteger(minReplicas) || minReplicas < 0) return 'minReplicas must be a whole number.';
  return undefined;
}
