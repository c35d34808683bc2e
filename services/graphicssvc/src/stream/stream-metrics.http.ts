import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export function measureStreams(registry: Registry, openConnections: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'stream_connections',
    help: 'Open websockets.',
    registers,
    collect() {
      this.set(openConnections());
    },
  });
  return {
    bytes: new Counter({ name: 'stream_sent_bytes_total', help: 'Bytes of files sent over websockets.', registers }),
    slow: new Counter({
      name: 'stream_slow_clients_total',
      help: 'Websockets closed because the client read too slowly.',
      registers,
    }),
    requests: new Counter({
      name: 'stream_requests_total',
      help: 'Requests over websockets, by result: opened, end, or an error code.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}
