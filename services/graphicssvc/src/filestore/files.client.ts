import { z } from 'zod';
import { FileSummaryPage, GRAPHICS_TAG } from '@dtplatform/contracts';
import type { FileSummary } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import { errors } from '../errors.js';
import type { Content, Load, SourceFile, Version } from './load.js';

const FILES = '/filesvc/api/v1/files';
/** The limit of filesvc for one query. */
const MAX_IDS = 200;
const VersionSummary = z.object({ _fileSize: z.number() });

export function remoteFiles(filesvc: ServiceClient) {
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
    /**
     * Omits files that are not in the namespace, have no complete version, or may not be read.
     * @param options.token by default that of this service
     */
    async find(
      ids: string[],
      namespace: string,
      { token, signal }: { token?: string; signal?: AbortSignal } = {},
    ): Promise<SourceFile[]> {
      const found = await find(ids, namespace, token, signal);
      return found.filter(({ _namespaces }) => _namespaces.includes(namespace)).flatMap(sourceFile);
    },
    /**
     * The namespaces of each existing file, regardless of who may read it.
     * @param namespace that of the call
     */
    async namespacesOf(ids: string[], namespace: string): Promise<Map<string, string[]>> {
      const found = await find(ids, namespace);
      return new Map(found.map(({ _id, _namespaces }) => [_id, _namespaces]));
    },
    /**
     * Independent of the caller's permissions. Undefined unless the file has the version.
     * @param namespace that of the call
     */
    async findVersion(version: Version, nsfilter: string): Promise<{ size: number } | undefined> {
      try {
        const { _fileSize } = await filesvc.call({ path: pathOf(version), query: { nsfilter } }, VersionSummary);
        return { size: _fileSize };
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw error;
      }
    },
    /** @throws `fileGone` when the file or the version is gone */
    async open(load: Load, signal: AbortSignal): Promise<Content> {
      const request = { path: `${pathOf(load)}/content`, query: { nsfilter: load._work.namespace }, signal };
      try {
        const { body, headers } = await filesvc.stream(request);
        return {
          stream: body,
          contentType: headers['content-type']?.toString(),
          contentEncoding: headers['content-encoding']?.toString(),
        };
      } catch (error) {
        throw isStatus(error, 404) ? errors.fileGone({ cause: error }) : error;
      }
    },
  };
}

export type FileSource = ReturnType<typeof remoteFiles>;

const pathOf = ({ _fileId, _fileVersionId }: Version): string => `${FILES}/${_fileId}/versions/${_fileVersionId}`;

/** Empty for folders and incomplete files. */
function sourceFile({ _id, _type, _fileVersion, _tags = [] }: FileSummary): SourceFile[] {
  if (_type !== 'file' || !_fileVersion) return [];
  return [{ id: _id, tipId: _fileVersion._id, size: _fileVersion._fileSize, isGraphics: _tags.includes(GRAPHICS_TAG) }];
}

const isStatus = (error: unknown, status: number) => error instanceof ServiceCallError && error.status === status;
