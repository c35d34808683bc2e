import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { measureBudgets } from '@dtplatform/http';
import type { ObjectStore } from '@dtplatform/object-store';
import type { RequestBodies } from './request-bodies.js';

/** The metrics of uploads. */
export function measureUploads(
  registry: Registry,
  { bodies, objects }: { bodies: RequestBodies; objects: Pick<ObjectStore, 'uploadMemory'> },
): void {
  new Gauge({
    name: 'uploads_in_flight',
    help: 'Uploads whose bodies are being received.',
    registers: [registry],
    collect() {
      this.set(bodies.count());
    },
  });
  measureBudgets(registry, { uploads: objects.uploadMemory });
}
