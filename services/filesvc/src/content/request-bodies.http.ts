import { extname } from 'node:path';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { lookup } from 'mime-types';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { commonErrors } from '@dtplatform/errors';
import { measureBudgets } from '@dtplatform/http';
import type { ObjectStore } from '@dtplatform/object-store';

/** How long to read the rest of a rejected body, so that the response reaches a client that is still sending. */
const LINGER_MS = 10_000;
/** Type and parameters in ASCII: nothing that could be smuggled into a header. */
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}[ \t]*(;[\t\x20-\x7e]*)?$/i;
const MAX_MEDIA_TYPE = 255;
const UNKNOWN_TYPE = 'application/octet-stream';
const ENCODINGS = /^[\w.+-]{1,32}(\s*,\s*[\w.+-]{1,32}){0,3}$/;

export type RequestBodies = ReturnType<typeof createRequestBodies>;

export function createRequestBodies() {
  const streaming = new Map<IncomingMessage, Promise<unknown>>();

  return {
    /** Runs `work` on a body, then drains it for a limited time. */
    async during<T>(req: IncomingMessage, work: () => Promise<T>): Promise<T> {
      const working = work();
      streaming.set(req, working);
      try {
        return await working;
      } finally {
        streaming.delete(req);
        if (!req.complete) discardRest(req);
      }
    },

    count: () => streaming.size,

    cutIn(timeMs: number): void {
      setTimeout(() => {
        for (const req of streaming.keys()) req.destroy();
      }, timeMs).unref();
    },

    /** Resolves once all work has settled, even for closed connections. */
    settled: () => Promise.allSettled(streaming.values()),
  };
}

function discardRest(req: IncomingMessage): void {
  req.resume();
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref();
  req.once('close', () => clearTimeout(timer));
}

/**
 * Bodies are never decoded.
 * @throws 400
 */
export function encodingOf(headers: IncomingHttpHeaders): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  if (!ENCODINGS.test(encoding)) throw commonErrors.badRequest({ message: 'The Content-Encoding is not valid.' });
  return encoding;
}

/**
 * The declared type with its parameters, or else that of the extension.
 * @throws 400
 */
export function contentTypeOf(name: string, declared = ''): string {
  const type = declared.trim();
  if (type === '') return lookup(extname(name)) || UNKNOWN_TYPE;
  if (!isMediaType(type)) throw commonErrors.badRequest({ message: 'The Content-Type of the file is not valid.' });
  return type;
}

const isMediaType = (text: string) => text.length <= MAX_MEDIA_TYPE && MEDIA_TYPE.test(text);

/** Bytes; undefined without Content-Length. */
export function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

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
