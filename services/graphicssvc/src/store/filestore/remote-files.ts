import { z } from 'zod';
import { FileSummaryPage, GRAPHICS_TAG, ResourceId } from '@dtplatform/contracts';
import type { FileSummary } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { FileSource, SourceFile } from '../../domain/filestore/ports.js';
import { errors } from '../../errors.js';

const FILES = '/filesvc/api/v1/files';
/** How many ids filesvc accepts in one query. */
const MAX_IDS = 200;
const AnyVersion = z.object({ _id: ResourceId });

/** The files of filesvc. */
export function remoteFiles(filesvc: ServiceClient): FileSource {
  async function page(ids: string[], nsfilter: string, token?: string, signal?: AbortSignal): Promise<FileSummary[]> {
    const query = { _ids: ids, nsfilter, _pageSize: MAX_IDS };
    return (await filesvc.call({ path: FILES, query, token, signal }, FileSummaryPage))._list;
  }

  async function find(ids: string[], nsfilter: string, token?: string, signal?: AbortSignal): Promise<FileSummary[]> {
    const found: FileSummary[] = [];
    for (let from = 0; from < ids.length; from += MAX_IDS) {
      found.push(...(await page(ids.slice(from, from + MAX_IDS), nsfilter, token, signal)));
    }
    return found;
  }

  return {
    async find(ids, namespace, { token, signal } = {}) {
      let found: FileSummary[];
      try {
        found = await find(ids, namespace, token, signal);
      } catch (error) {
        if (token === undefined || !isStatus(error, 401)) throw error;
        throw commonErrors.unauthorized({ tokenSent: true, cause: error });
      }
      return found.filter(({ _namespaces }) => _namespaces.includes(namespace)).flatMap(sourceFile);
    },
    async namespacesOf(ids, namespace) {
      const found = await find(ids, namespace);
      return new Map(found.map(({ _id, _namespaces }) => [_id, _namespaces]));
    },
    async hasVersion({ _fileId, _fileVersionId }, nsfilter) {
      const path = `${FILES}/${_fileId}/versions/${_fileVersionId}`;
      try {
        await filesvc.call({ path, query: { nsfilter } }, AnyVersion);
        return true;
      } catch (error) {
        if (isStatus(error, 404)) return false;
        throw error;
      }
    },
    async open({ _fileId, _fileVersionId, _work: { namespace } }, signal) {
      const path = `${FILES}/${_fileId}/content`;
      // The ETag of content is the id of its version, so any other version is a 412.
      const headers = { 'if-match': `"${_fileVersionId}"` };
      try {
        const { body, headers: reply } = await filesvc.stream({
          path,
          query: { nsfilter: namespace },
          headers,
          signal,
        });
        return {
          stream: body,
          contentType: reply['content-type']?.toString(),
          contentEncoding: reply['content-encoding']?.toString(),
        };
      } catch (error) {
        if (isStatus(error, 404)) throw errors.fileGone({ cause: error });
        throw isStatus(error, 412) ? errors.notTheLatest({ cause: error }) : error;
      }
    },
  };
}

/** The file, if it has a complete version; empty for folders and unfinished files. */
function sourceFile({ _id, _type, _fileVersion, _tags = [] }: FileSummary): SourceFile[] {
  if (_type !== 'file' || !_fileVersion) return [];
  return [{ id: _id, tipId: _fileVersion._id, size: _fileVersion._fileSize, isGraphics: _tags.includes(GRAPHICS_TAG) }];
}

const isStatus = (error: unknown, status: number) => error instanceof ServiceCallError && error.status === status;
