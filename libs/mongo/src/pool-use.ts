import type { MongoClient } from './driver.js';

/** The connections of this process to all servers, and the operations that wait for one. */
export interface PoolUse {
  open: number;
  inUse: number;
  waiting: number;
  /** The most connections to each server. */
  max: number;
  /** Operations so far that got no connection. */
  failed: number;
}

interface Connection {
  address: string;
  connectionId: number | '<monitor>';
}
const keyOf = ({ address, connectionId }: Connection) => `${address} ${connectionId}`;

/** Follows the driver's events of its connection pools. @returns the current number of connections in each state */
export function followPools(client: MongoClient): () => PoolUse {
  const open = new Set<string>();
  const inUse = new Set<string>();
  const counts = { started: 0, ended: 0, failed: 0 };
  client.on('connectionCreated', (event) => open.add(keyOf(event)));
  client.on('connectionClosed', (event) => {
    open.delete(keyOf(event));
    inUse.delete(keyOf(event));
  });
  client.on('connectionCheckOutStarted', () => (counts.started += 1));
  client.on('connectionCheckedOut', (event) => {
    counts.ended += 1;
    inUse.add(keyOf(event));
  });
  client.on('connectionCheckOutFailed', () => {
    counts.ended += 1;
    counts.failed += 1;
  });
  client.on('connectionCheckedIn', (event) => inUse.delete(keyOf(event)));
  return () => ({
    open: open.size,
    inUse: inUse.size,
    waiting: counts.started - counts.ended,
    max: client.options.maxPoolSize,
    failed: counts.failed,
  });
}
