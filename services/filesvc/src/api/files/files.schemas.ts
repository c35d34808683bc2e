import { z } from 'zod';
import { Metadata, Namespace, ResourceId } from '@dtplatform/contracts';
import { booleanParameter, listParameter, nsfilter, pageOf, pagingParameters } from '@dtplatform/http';

const MAX_NAME_LENGTH = 255;
const MAX_TAGS = 10;
const MAX_NAMESPACES = 20;
const MAX_PARENTS = 20;
const MAX_IDS = 200;
const MAX_PATTERN_LENGTH = 256;
const MAX_PAGE_SIZE = 200;

/** No control characters, no half of a surrogate pair: nothing that a name could smuggle into a header or a path. */
const printable = z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that are not allowed');

export const FileName = printable
  .min(1)
  .max(MAX_NAME_LENGTH)
  .refine((name) => !/[/\\]/.test(name) && name !== '.' && name !== '..', 'is not a file name')
  .refine((name) => name.trim() !== '', 'is blank');

const Tag = printable.min(1).max(50);
export const Tags = z.array(Tag).max(MAX_TAGS).transform(unique);
export const Namespaces = z.array(Namespace).min(1).max(MAX_NAMESPACES).transform(unique);
/** Ids of folders; `root`, or none, for the root. */
export const Parents = z
  .array(z.string())
  .transform((ids) => unique(ids.filter((id) => id !== 'root')))
  .pipe(z.array(ResourceId).max(MAX_PARENTS));

/** The same as parameters: repeated or separated by commas. */
const list = () => listParameter(z.string(), Number.MAX_SAFE_INTEGER);
export const TagsParameter = list().pipe(Tags);
export const NamespacesParameter = list().pipe(Namespaces);
export const ParentsParameter = list().pipe(Parents);

const Version = z.object({
  _id: z.string(),
  _fileId: z.string(),
  _version: z.number(),
  _fileSize: z.number(),
  _metadata: Metadata,
});

const FileStatus = z.enum(['CREATED', 'UPLOAD_INITIATED', 'UPLOAD_INTERRUPTED', 'UPLOAD_COMPLETED']);

export const FileReply = z.strictObject({
  _id: z.string(),
  _name: z.string(),
  _type: z.enum(['file', 'dir']),
  _irn: z.string(),
  _status: FileStatus,
  _namespaces: z.array(z.string()),
  _parents: z.array(z.string()),
  _tags: z.array(z.string()),
  _tipId: z.string().optional(),
  _tipVersion: z.number().optional(),
  _nextVersion: z.number().optional(),
  _fileVersion: Version.optional(),
  _previews: z.array(
    z.object({ _id: z.string(), _width: z.number(), _height: z.number(), _fileVersionId: z.string() }),
  ),
  _uploadMeta: z.object({ _size: z.number(), _checksum: z.string(), _uploadId: z.string() }).optional(),
  _metadata: Metadata,
  _url: z.string().optional(),
});
export const FilePage = pageOf(FileReply).extend({ _includeTotal: z.boolean() });

export const FileParams = z.object({ id: ResourceId });
export type FileParams = z.infer<typeof FileParams>;
export const ContextQuery = z.object({ nsfilter });
export type ContextQuery = z.infer<typeof ContextQuery>;

export const CreateFolderQuery = z.object({
  nsfilter,
  _name: FileName,
  _namespaces: NamespacesParameter,
  _parents: ParentsParameter.default([]),
  _tags: TagsParameter.default([]),
});
export type CreateFolderQuery = z.infer<typeof CreateFolderQuery>;

const filters = {
  nsfilter,
  _namespaces: listParameter(Namespace).optional(),
  _ids: listParameter(z.string(), MAX_IDS).optional(),
  _name: z.string().min(1).max(MAX_PATTERN_LENGTH).optional(),
  _tags: listParameter(z.string(), MAX_TAGS).optional(),
  ...pagingParameters({ maxSize: MAX_PAGE_SIZE }),
};
export const ListChildrenQuery = z.object(filters);
export type ListChildrenQuery = z.infer<typeof ListChildrenQuery>;
export const ListFilesQuery = z.object({
  ...filters,
  _parents: listParameter(z.string(), MAX_PARENTS).optional(),
  _status: FileStatus.optional(),
  withUrl: booleanParameter.default(false),
});
export type ListFilesQuery = z.infer<typeof ListFilesQuery>;

/** Whoever names no file that is there gets the contract's 400, so any id is taken. */
export const UpdateFileParams = z.object({ id: z.string() });
export type UpdateFileParams = z.infer<typeof UpdateFileParams>;
export const UpdateFileBody = z.object({ _name: FileName, _tags: Tags.optional() });
export type UpdateFileBody = z.infer<typeof UpdateFileBody>;

function unique(values: string[]): string[] {
  return [...new Set(values)];
}
