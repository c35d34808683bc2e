import { z } from 'zod';
import { createdBy, MAX_NAMESPACES, Metadata, Namespace, ResourceId, Text } from '@dtplatform/contracts';
import type { Author } from '@dtplatform/contracts';
import { RequestedId } from '../filestore/load.js';

const MAX_FILES = 1_000;

export const FILE_SET_TYPE = 'graphicssvc:fileset';

/** docs/contract.md, "File sets". */
export const FileSet = z.object({
  _id: ResourceId.describe('The id of the file set.'),
  _irn: z.string().describe('The resource name that permissions use.'),
  _name: Text.min(1).max(256).describe('The name of the file set, which need not be unique.'),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES).describe('The namespaces that it belongs to.'),
  /** Hidden from callers (`homeOf` of libs/permissions). */
  _home: Namespace,
  _fileIds: z.array(ResourceId).min(1).max(MAX_FILES).describe('The ids of its files, without duplicates.'),
  _metadata: Metadata,
  _revision: z.int().min(0),
});
export type FileSet = z.infer<typeof FileSet>;

const distinct = (values: string[]) => [...new Set(values)];

/** Ids may be malformed: such files do not exist, which is a 404 and not a 400. */
export const NewFileSet = FileSet.pick({ _name: true })
  .extend({
    _namespaces: FileSet.shape._namespaces
      .transform(distinct)
      .describe('The namespaces that it belongs to, including the namespace of the call.'),
    _fileIds: z
      .array(RequestedId)
      .min(1)
      .max(MAX_FILES)
      .transform(distinct)
      .describe(
        'The ids of its files, which the caller must be able to read in the namespace of the call; duplicates are dropped.',
      ),
  })
  .meta({ id: 'NewFileSet', description: 'A file set to create.' });
export type NewFileSet = z.infer<typeof NewFileSet>;

export const ShownFileSet = FileSet.omit({ _home: true, _revision: true }).meta({
  id: 'FileSet',
  description: 'Files shown together in a viewer.',
});
export const showFileSet = ({ _home, _revision, ...shown }: FileSet): z.infer<typeof ShownFileSet> => shown;

/** @param home the `nsfilter` of the call */
export const newFileSet = (_id: string, wanted: NewFileSet, home: string, author: Author): FileSet => ({
  ...wanted,
  _home: home,
  _id,
  _irn: `${FILE_SET_TYPE}:${_id}`,
  _metadata: createdBy(author),
  _revision: 0,
});
