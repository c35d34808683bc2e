import { z } from 'zod';
import { Metadata, Namespace, printable, ResourceId } from '@dtplatform/contracts';

/** Permissions treat folders as files. */
export const FILE_TYPE = 'filesvc:file';
export const irnOf = (id: string): string => `${FILE_TYPE}:${id}`;

export const MAX_PARENTS = 20;
export const MAX_TAGS = 10;

/** Nothing that could be smuggled into a header or a path. */
const Printable = printable('has characters that are not allowed');

export const FileName = Printable.min(1)
  .max(255)
  .refine((name) => !/[/\\]/.test(name) && name !== '.' && name !== '..', 'is not a file name')
  .refine((name) => name.trim() !== '', 'is blank');

const Content = z.object({
  key: z.string(),
  contentType: z.string(),
  contentEncoding: z.string().optional(),
});

export const Preview = z.object({
  _id: z.string(),
  /** Pixels. */
  _width: z.number(),
  /** Pixels. */
  _height: z.number(),
  /** Bytes. */
  size: z.number(),
});
export type Preview = z.infer<typeof Preview>;

/** Its content never changes. */
export const FileVersion = z.object({
  _id: z.string().describe('The id of the version.'),
  _fileId: z.string().describe('The id of the file.'),
  _version: z.number().describe('The number of the version, from 1.'),
  _fileSize: z.number().describe('The length of the content in bytes.'),
  _metadata: Metadata,
  internal: Content.extend({
    /** Absent until made. */
    previews: z.array(Preview).optional(),
  }),
});
export type FileVersion = z.infer<typeof FileVersion>;

export const ShownVersion = FileVersion.omit({ internal: true }).meta({
  id: 'FileVersion',
  description: 'A version of a file. Its content never changes.',
});
export type ShownVersion = z.infer<typeof ShownVersion>;

export const showVersion = ({ _id, _fileId, _version, _fileSize, _metadata }: FileVersion): ShownVersion => ({
  _id,
  _fileId,
  _version,
  _fileSize,
  _metadata,
});

/** docs/contract.md, "Folders and files". `internal` never leaves this service. */
export const File = z.strictObject({
  _id: ResourceId.describe('The id of the file or folder.'),
  _name: FileName.describe('The name, which is unique in its folder and namespace.'),
  _type: z.enum(['file', 'dir']).describe('`dir` for a folder.'),
  _irn: z.string().describe('The resource name that permissions use.'),
  _status: z
    .enum(['CREATED', 'UPLOAD_INITIATED', 'UPLOAD_INTERRUPTED', 'UPLOAD_COMPLETED'])
    .describe('The status of the latest upload; `CREATED` for folders.'),
  _namespaces: z.array(Namespace).min(1).max(20).describe('The namespaces that it belongs to.'),
  _parents: z.array(ResourceId).max(MAX_PARENTS).describe('The ids of its folders; empty at the root.'),
  _tags: z.array(Printable.min(1).max(50)).max(MAX_TAGS).describe('Words to find it by.'),
  _tipId: z.string().optional().describe('The id of the tip, which is the latest version.'),
  _tipVersion: z.number().optional().describe('The number of the tip.'),
  _nextVersion: z.number().optional().describe('The number of the next version.'),
  _fileVersion: ShownVersion.optional().describe('The tip.'),
  _previews: z
    .array(
      z.object({
        _id: z.string().describe('The id of the preview.'),
        _width: z.number().describe('Pixels.'),
        _height: z.number().describe('Pixels.'),
        _fileVersionId: z.string().describe('The id of the version shown.'),
      }),
    )
    .describe('Preview images of the tip; empty until they are ready.'),
  _uploadMeta: z
    .object({
      _size: z.int().min(0).describe('The length of the whole content in bytes.'),
      _checksum: z
        .string()
        .min(1)
        .max(256)
        .describe(
          'The checksum of the content: `sha256:`, `md5:` or `crc32c:` with the digest, which is verified, or any other text.',
        ),
      _uploadId: z.string().describe('The id of the upload.'),
    })
    .optional()
    .describe('The latest resumable upload.'),
  _metadata: Metadata,
  /** Rises with every change that callers see; the ETag. */
  _revision: z.int().min(0),
  internal: z.object({
    /** The `nsfilter` of the call that created it (`homeOf` of libs/permissions). */
    home: Namespace,
    /** The name in NFC, for comparisons. */
    name: z.string(),
    /** One for each namespace and place that the name occupies; unique over all files. */
    nameKeys: z.array(z.string()),
    ancestors: z.array(z.string()),
    /** The namespaces of a file at the root; empty for others. */
    rootOf: z.array(z.string()),
    /** The content of the tip. */
    content: Content.optional(),
    /** When an older version became the tip again, in milliseconds since 1970. */
    tipSince: z.number().optional(),
    uploadId: z.string().optional(),
    /** How often previews were recorded for versions other than the tip. */
    previewsMade: z.number().optional(),
    /** A folder being removed accepts nothing before this time, in milliseconds since 1970. */
    removingUntil: z.number().optional(),
  }),
});
export type File = z.infer<typeof File>;

export const ShownFile = File.omit({ _revision: true, internal: true })
  .extend({
    _url: z.string().optional().describe('A temporary URL from which anyone can download the tip, if requested.'),
  })
  .meta({ id: 'File', description: 'A file or folder.' });
export type ShownFile = z.infer<typeof ShownFile>;

export const showFile = ({ _revision, internal, ...shown }: File): ShownFile => shown;

/** Content that arrives before its file is known. */
export const Draft = z.object({
  /** Becomes the version's id. */
  _id: z.string(),
  key: z.string(),
  multipartId: z.string().optional(),
  touchedAt: z.date(),
});
export type Draft = z.infer<typeof Draft>;

/** @param attempt how often its upload was restarted */
export const versionKey = (versionId: string, attempt = 0): string =>
  `versions/${versionId}${attempt > 0 ? `.${attempt}` : ''}`;
