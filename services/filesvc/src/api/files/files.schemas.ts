import { z } from 'zod';
import { MAX_NAMESPACES, Namespace, ResourceId } from '@dtplatform/contracts';
import { booleanParameter, listParameter, nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { File, MAX_PARENTS, MAX_TAGS, ShownFile } from '../../domain/files/file.js';

const MAX_IDS = 200;
const MAX_PATTERN_LENGTH = 256;
export const MAX_PAGE_SIZE = 200;

const { _name, _namespaces, _parents, _tags, _status } = File.shape;
const unique = (values: string[]) => [...new Set(values)];

export const Tags = _tags.transform(unique);
export const Namespaces = _namespaces.transform(unique);
/** Ids of folders; `root`, or none, for the root. */
export const Parents = z
  .array(z.string())
  .transform((ids) => unique(ids.filter((id) => id !== 'root')))
  .pipe(_parents);

/** The same as parameters: repeated or separated by commas. */
const list = () => listParameter(z.string(), Number.MAX_SAFE_INTEGER);
/** Where a new file goes, and its tags. */
export const Target = z.object({
  _namespaces: list().pipe(Namespaces),
  _parents: list().pipe(Parents),
  _tags: list().pipe(Tags),
});

export const FilePage = pageOf(ShownFile).extend({ _includeTotal: z.boolean() });

export const FileParams = z.object({ id: ResourceId });
export type FileParams = z.infer<typeof FileParams>;
export const ContextQuery = z.object({ nsfilter });
export type ContextQuery = z.infer<typeof ContextQuery>;

export const CreateFolderQuery = z.object({
  nsfilter,
  _name,
  ...Target.shape,
  _parents: Target.shape._parents.default([]),
  _tags: Target.shape._tags.default([]),
});

/** Fields in the query may be left out of the form. */
export const UploadFormQuery = z.object({ nsfilter, ...Target.partial().shape });
export type UploadFormQuery = z.infer<typeof UploadFormQuery>;

export const ListChildrenQuery = z.object({
  nsfilter,
  _namespaces: list().transform(unique).pipe(z.array(Namespace).max(MAX_NAMESPACES)).optional(),
  _ids: listParameter(z.string(), MAX_IDS).optional(),
  _name: z.string().min(1).max(MAX_PATTERN_LENGTH).optional(),
  _tags: listParameter(z.string(), MAX_TAGS).optional(),
  ...pagingParameters({ maxSize: MAX_PAGE_SIZE }),
});
export type ListChildrenQuery = z.infer<typeof ListChildrenQuery>;
export const ListFilesQuery = ListChildrenQuery.extend({
  _parents: listParameter(z.string(), MAX_PARENTS).optional(),
  _status: _status.optional(),
  withUrl: booleanParameter.default(false),
});
export type ListFilesQuery = z.infer<typeof ListFilesQuery>;

/** Accepts any id: an id without a file is a 400 either way (docs/contract.md, "PUT /files/{id}"). */
export const UpdateFileParams = z.object({ id: z.string() });
export const UpdateFileBody = z.object({ _name, _tags: Tags.optional(), _parents: Parents.optional() });

/** Which files and folders to delete. */
export const DeleteFilesQuery = z.object({
  nsfilter,
  _ids: listParameter(z.string(), MAX_IDS).pipe(z.array(z.string()).min(1)),
});
