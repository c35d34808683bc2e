import { z } from 'zod';
import { MAX_NAMESPACES, Namespace, ResourceId } from '@dtplatform/contracts';
import { booleanParameter, countedPageOf, listParameter, nsfilter, pagingParameters } from '@dtplatform/http';
import { errors } from '../errors.js';
import { File, MAX_PARENTS, MAX_TAGS, ShownFile } from './file.js';

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
  .pipe(_parents)
  .describe('The ids of its folders; `root`, or none, for the root.');

/** A parameter that is repeated or separated by commas. */
const list = () => listParameter(z.string(), Number.MAX_SAFE_INTEGER);
const tags = (maxEntries = Number.MAX_SAFE_INTEGER) => listParameter(z.string(), maxEntries, { mayHaveCommas: true });
const WITH_COMMAS = 'To name a tag that contains a comma, repeat the parameter: each occurrence is then one tag.';
export const Target = z.object({
  _namespaces: list().pipe(Namespaces).describe('The namespaces that it belongs to.'),
  _parents: list().pipe(Parents).describe('The ids of its folders; `root`, or none, for the root.'),
  _tags: tags().pipe(Tags).describe(`Words to find it by. ${WITH_COMMAS}`),
});

export const FilePage = countedPageOf(ShownFile).meta({
  id: 'FilePage',
  description: 'A page of files and folders.',
});

export const FileParams = z.object({ id: ResourceId.describe('The id of the file or folder.') });
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

export const UploadForm = z
  .object({
    file: z.array(z.file()).min(1).describe('The files; each part has a file name.'),
    _namespaces: Target.shape._namespaces.optional(),
    _parents: Target.shape._parents.optional(),
    _tags: Target.shape._tags.optional(),
  })
  .meta({ id: 'UploadForm', description: 'Files and where to put them. The fields may also be sent in the query.' });

/** Fields may come in the query or in the form. */
export const UploadFormQuery = z.object({ nsfilter, ...Target.partial().shape });
export type UploadFormQuery = z.infer<typeof UploadFormQuery>;

export const ListChildrenQuery = z.object({
  nsfilter,
  _namespaces: list()
    .transform(unique)
    .pipe(z.array(Namespace).max(MAX_NAMESPACES))
    .optional()
    .describe(
      'Only files and folders in one of these namespaces; by default, in all namespaces in which the caller may read files.',
    ),
  _ids: listParameter(z.string(), MAX_IDS).optional().describe('Only the files and folders with these ids.'),
  _name: z
    .string()
    .min(1)
    .max(MAX_PATTERN_LENGTH)
    .optional()
    .describe('Only files and folders whose name matches this regular expression, in RE2 syntax.'),
  _tags: tags(MAX_TAGS).optional().describe(`Only files and folders that have all of these tags. ${WITH_COMMAS}`),
  ...pagingParameters({ maxSize: MAX_PAGE_SIZE }),
});
export type ListChildrenQuery = z.infer<typeof ListChildrenQuery>;
export const ListFilesQuery = ListChildrenQuery.extend({
  _parents: listParameter(z.string(), MAX_PARENTS)
    .optional()
    .describe('Only files and folders that are in all of these folders; `root` means the root.'),
  _status: _status.optional().describe('Only files and folders with this status.'),
  withUrl: booleanParameter.default(false).describe('Whether to include a download `_url` for each file.'),
});
export type ListFilesQuery = z.infer<typeof ListFilesQuery>;

/** Accepts any id: an unknown one is a 400, not a 404 (docs/contract.md, "PUT /files/{id}"). */
export const UpdateFileParams = z.object({ id: z.string().describe('The id of the file or folder.') });
export const UpdateFileBody = z
  .object({
    _name,
    _tags: Tags.optional().describe('The new tags; unchanged by default.'),
    _parents: Parents.optional().describe('The ids of the new folders; unchanged by default.'),
  })
  .meta({ id: 'FileChange', description: 'The new name, tags and folders.' });

export const DeleteFilesQuery = z.object({
  nsfilter,
  _ids: listParameter(z.string(), MAX_IDS)
    .pipe(z.array(z.string()).min(1))
    .describe('The ids of the files and folders to delete.'),
});

export const misplaced = [
  errors.namespaceMismatch,
  errors.nameTaken,
  errors.unknownParent,
  errors.tooDeep,
  errors.folderMoved,
  errors.uploadTakenOver,
];
export const invalidFilters = [errors.namespaceMismatch, errors.invalidPattern, errors.patternTooSlow];
export const unremovable = [
  errors.folderMoved,
  errors.folderNotEmpty,
  errors.uploadRunning,
  errors.uploadTakenOver,
  errors.folderTooLarge,
];
