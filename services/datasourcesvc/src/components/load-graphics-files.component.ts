import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import { defineComponent } from '../domain/components/component.js';
import type { StepContext } from '../domain/components/component.js';
import { errors } from '../errors.js';

const FILESTORE = '/graphicssvc/api/v1/filestore';
const MAX_FILES = 200;
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 2_000;

const Load = z.object({ _fileId: z.string(), _status: z.string() });
type Load = z.infer<typeof Load>;

/**
 * `load_graphics_files {fileIds}`: asks graphicssvc, with the rights of the run, to load the files into its
 * store and waits until the loads have ended.
 */
export const loadGraphicsFilesComponent = (graphicssvc: ServiceClient) =>
  defineComponent({
    name: 'load_graphics_files',
    description: 'Loads files into the graphics file store.',
    mayRunAgain: true,
    params: z.strictObject({ fileIds: z.array(z.string().min(1).max(128)).min(1).max(MAX_FILES) }),
    async run({ fileIds }, context) {
      const loads: Load[] = [];
      try {
        await request(graphicssvc, fileIds, context);
        for (const fileId of new Set(fileIds)) loads.push(await waitForLoad(graphicssvc, fileId, context));
      } catch (error) {
        throw isNotFound(error) ? errors.graphicsFileMissing({ cause: error }) : error;
      }
      return { files: loads.map(({ _fileId, _status }) => ({ _fileId, _status })) };
    },
  });

async function request(graphicssvc: ServiceClient, fileIds: string[], { namespace, starter, signal }: StepContext) {
  const body = fileIds.map((_fileId) => ({ _fileId }));
  const query = { nsfilter: namespace };
  await graphicssvc.call({ method: 'PUT', path: FILESTORE, query, body, as: starter, signal }, z.unknown());
}

/** Polls the load of a file until it has ended. */
async function waitForLoad(
  graphicssvc: ServiceClient,
  fileId: string,
  { namespace, starter, signal }: StepContext,
): Promise<Load> {
  const path = `${FILESTORE}/${encodeURIComponent(fileId)}`;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
    const load = await graphicssvc.call({ path, query: { nsfilter: namespace }, as: starter, signal }, Load);
    if (load._status === 'ERROR') throw errors.graphicsFileNotLoaded();
    if (load._status !== 'QUEUED' && load._status !== 'LOADING') return load;
    await delay(waitMs, undefined, { signal });
  }
}

const isNotFound = (error: unknown) => error instanceof ServiceCallError && error.status === 404;
