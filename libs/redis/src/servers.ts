import calculateSlot from 'cluster-key-slot';
import { Cluster } from 'ioredis';
import type { RedisClient } from './client.js';

/**
 * Identifies the connection to the server that has a key. It changes when another server takes over, and when the
 * server restarts: both may have lost the latest writes.
 */
export function createServerIds(client: RedisClient): (key: string) => string {
  if (!(client instanceof Cluster)) return connectionIds(client);
  let opened = 0;
  const connections = new Map<string, number>();
  client.on('+node', ({ options: { host, port } }) => connections.set(`${host}:${port}`, (opened += 1)));
  return (key) => {
    const [address = ''] = client.slots[calculateSlot(key)] ?? [];
    return `${address}#${connections.get(address)}`;
  };
}

function connectionIds(client: RedisClient): () => string {
  let opened = 0;
  client.on('ready', () => (opened += 1));
  return () => String(opened);
}

/** The servers that take writes. */
export const mastersOf = (client: RedisClient) => (client instanceof Cluster ? client.nodes('master') : [client]);

/** Calls `listener` when a connection is established; in a cluster, to any node, and when another node is a master. */
export function onServers(client: RedisClient, listener: () => void): void {
  if (!(client instanceof Cluster)) return void client.on('ready', listener);
  // A master that restarts under its address is a new node here.
  client.on('+node', listener);
  let known = '';
  client.on('refresh', () => {
    const current = String([...new Set(client.slots.map(([master]) => master))].sort());
    if (current !== known) listener();
    known = current;
  });
}
