import { z } from 'zod';
import { FileSummaryPage, GRAPHICS_TAG } from '@dtplatform/contracts';
import type { FileSummary } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { Version } from '../../domain/filestore/load.js';
import type { FileSource, SourceFile } from '../../domain/filestore/ports.js';
import { errors } from '../../errors.js';

const FILES = '/filesvc/api/v1/files';
/** How many ids filesvc accepts in one query. */
const MAX_IDS = 200;
const VersionSummary = z.object({ _fileSize: z.number() });

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
      const found = await find(ids, namespace, token, signal);
      return found.filter(({ _namespaces }) => _namespaces.includes(namespace)).flatMap(sourceFile);
    },
    async namespacesOf(ids, namespace) {
      const found = await find(ids, namespace);
      return new Map(found.map(({ _id, _namespaces }) => [_id, _namespaces]));
    },
    async findVersion(version, nsfilter) {
      try {
        const { _fileSize } = await filesvc.call({ path: pathOf(version), query: { nsfilter } }, VersionSummary);
        return { size: _fileSize };
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw error;
      }
    },
    async open(load, signal) {
      const path = `${pathOf(load)}/content`;
      try {
        const { body, headers: reply } = await filesvc.stream({
          path,
          query: { nsfilter: load._work.namespace },
          signal,
        });
        return {
          stream: body,
          contentType: reply['content-type']?.toString(),
          contentEncoding: reply['content-encoding']?.toString(),
        };
      } catch (error) {
        throw isStatus(error, 404) ? errors.fileGone({ cause: error }) : error;
      }
    },
  };
}

const pathOf = ({ _fileId, _fileVersionId }: Version): string => `${FILES}/${_fileId}/versions/${_fileVersionId}`;

/** The file, if it has a complete version; empty for folders and unfinished files. */
function sourceFile({ _id, _type, _fileVersion, _tags = [] }: FileSummary): SourceFile[] {
  if (_type !== 'file' || !_fileVersion) return [];
  return [{ id: _id, tipId: _fileVersion._id, size: _fileVersion._fileSize, isGraphics: _tags.includes(GRAPHICS_TAG) }];
}

const isStatus = (error: unknown, status: number) => error instanceof ServiceCallError && error.status === status;
