import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import { defineComponent } from '../domain/component.js';
import type { StepContext } from '../domain/component.js';
import { errors } from '../errors.js';

const FILESTORE = '/graphicssvc/api/v1/filestore';
const MAX_FILES = 200;
const FIRST_LOOK_MS = 50;
const LOOK_EVERY_MS = 2_000;

const Load = z.object({ _fileId: z.string(), _status: z.string() });
type Load = z.infer<typeof Load>;

/** `load_graphics_files {fileIds}`: has graphicssvc load the files into its store and waits until it has. */
export const loadGraphicsFilesComponent = (graphicssvc: ServiceClient) =>
  defineComponent({
    name: 'load_graphics_files',
    params: z.object({ fileIds: z.array(z.string().min(1).max(128)).min(1).max(MAX_FILES) }),
    async run({ fileIds }, context) {
      await request(graphicssvc, fileIds, context);
      const loads: Load[] = [];
      for (const fileId of new Set(fileIds)) loads.push(await ended(graphicssvc, fileId, context));
      return { files: loads.map(({ _fileId, _status }) => ({ _fileId, _status })) };
    },
  });

async function request(graphicssvc: ServiceClient, fileIds: string[], { namespace, signal }: StepContext) {
  const body = fileIds.map((_fileId) => ({ _fileId }));
  try {
    await graphicssvc.call(
      { method: 'PUT', path: FILESTORE, query: { nsfilter: namespace }, body, signal },
      z.unknown(),
    );
  } catch (error) {
    throw isNotFound(error) ? errors.graphicsFileMissing({ cause: error }) : error;
  }
}

/** The load of a file, once it has ended. */
async function ended(graphicssvc: ServiceClient, fileId: string, { namespace, signal }: StepContext): Promise<Load> {
  const path = `${FILESTORE}/${encodeURIComponent(fileId)}`;
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LOOK_EVERY_MS)) {
    const load = await graphicssvc.call({ path, query: { nsfilter: namespace }, signal }, Load);
    if (load._status === 'ERROR') throw errors.graphicsFileNotLoaded();
    if (load._status !== 'QUEUED' && load._status !== 'LOADING') return load;
    await delay(waitMs, undefined, { signal });
  }
}

const isNotFound = (error: unknown) => error instanceof ServiceCallError && error.status === 404;
