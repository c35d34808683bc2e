import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { FileSummaryPage } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import { errors } from '../errors.js';
import { defineComponent } from './component.js';
import type { StepContext } from './component.js';

const FILES = '/filesvc/api/v1/files';
const FILESTORE = '/graphicssvc/api/v1/filestore';
const MAX_FILES = 200;
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 2_000;

const Load = z.object({ _fileId: z.string(), _status: z.string() });
type Load = z.infer<typeof Load>;

interface Deps {
  graphicssvc: ServiceClient;
  filesvc: ServiceClient;
}

/** A version of a file to load. */
interface Version {
  _fileId: string;
  _fileVersionId: string;
}

/**
 * `load_graphics_files {fileIds}`: makes graphicssvc load the files into its store, with the permissions of the run,
 * and waits until the loads have ended.
 */
export const loadGraphicsFilesComponent = ({ graphicssvc, filesvc }: Deps) =>
  defineComponent({
    name: 'load_graphics_files',
    description: 'Loads files into the graphics file store.',
    mayRunAgain: true,
    params: z.strictObject({ fileIds: z.array(z.string().min(1).max(128)).min(1).max(MAX_FILES) }),
    async run({ fileIds }, context) {
      const loads: Load[] = [];
      try {
        const versions = await latestVersions(filesvc, [...new Set(fileIds)], context);
        await request(graphicssvc, versions, context);
        for (const version of versions) loads.push(await waitForLoad(graphicssvc, version, context));
      } catch (error) {
        throw isNotFound(error) ? errors.graphicsFileMissing({ cause: error }) : error;
      }
      return { files: loads.map(({ _fileId, _status }) => ({ _fileId, _status })) };
    },
  });

/**
 * The latest version of each file. Without a version, graphicssvc would report a loaded one rather than a failed one.
 * @throws graphicsFileMissing
 */
async function latestVersions(
  filesvc: ServiceClient,
  fileIds: string[],
  { namespace, starter, signal }: StepContext,
): Promise<Version[]> {
  const query = { _ids: fileIds, nsfilter: namespace, _pageSize: MAX_FILES };
  const { _list } = await filesvc.call({ path: FILES, query, as: starter, signal }, FileSummaryPage);
  const tips = new Map(_list.map(({ _id, _tipId }) => [_id, _tipId]));
  return fileIds.map((_fileId) => {
    const _fileVersionId = tips.get(_fileId);
    if (_fileVersionId === undefined) throw errors.graphicsFileMissing();
    return { _fileId, _fileVersionId };
  });
}

async function request(graphicssvc: ServiceClient, body: Version[], { namespace, starter, signal }: StepContext) {
  const query = { nsfilter: namespace };
  await graphicssvc.call({ method: 'PUT', path: FILESTORE, query, body, as: starter, signal }, z.unknown());
}

/** Polls the load of a version until it has ended. */
async function waitForLoad(
  graphicssvc: ServiceClient,
  { _fileId, _fileVersionId }: Version,
  { namespace, starter, signal }: StepContext,
): Promise<Load> {
  const path = `${FILESTORE}/${_fileId}`;
  const query = { nsfilter: namespace, _fileVersionId };
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
    const load = await graphicssvc.call({ path, query, as: starter, signal }, Load);
    if (load._status === 'ERROR') throw errors.graphicsFileNotLoaded();
    if (load._status !== 'QUEUED' && load._status !== 'LOADING') return load;
    await delay(waitMs, undefined, { signal });
  }
}

const isNotFound = (error: unknown) => error instanceof ServiceCallError && error.status === 404;
