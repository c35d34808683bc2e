import { z } from 'zod';
import { Metadata, Namespace, ResourceId } from '@dtplatform/contracts';

/** Type in the resource name. Permissions treat folders as files. */
export const FILE_TYPE = 'filesvc:file';
export const irnOf = (id: string): string => `${FILE_TYPE}:${id}`;

export const MAX_PARENTS = 20;
export const MAX_TAGS = 10;

/** No control characters and no half of a surrogate pair: nothing that could be smuggled into a header or a path. */
const printable = z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that are not allowed');

export const FileName = printable
  .min(1)
  .max(255)
  .refine((name) => !/[/\\]/.test(name) && name !== '.' && name !== '..', 'is not a file name')
  .refine((name) => name.trim() !== '', 'is blank');

/** Where the bytes of a version are, and what they are. */
const Content = z.object({
  /** Key of the object. */
  key: z.string(),
  contentType: z.string(),
  contentEncoding: z.string().optional(),
});

/** A preview of a version, as it is stored. */
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

/** A version of a file. Its content never changes. */
export const FileVersion = z.object({
  _id: z.string(),
  _fileId: z.string(),
  /** From 1. */
  _version: z.number(),
  /** Bytes. */
  _fileSize: z.number(),
  _metadata: Metadata,
  internal: Content.extend({
    /** Absent until they are made. */
    previews: z.array(Preview).optional(),
  }),
});
export type FileVersion = z.infer<typeof FileVersion>;

/** A version as callers see it. */
export const ShownVersion = FileVersion.omit({ internal: true });
export type ShownVersion = z.infer<typeof ShownVersion>;

export const showVersion = ({ _id, _fileId, _version, _fileSize, _metadata }: FileVersion): ShownVersion => ({
  _id,
  _fileId,
  _version,
  _fileSize,
  _metadata,
});

/** A file or folder (docs/contract.md, "File or folder"). Only this service knows what is in `internal`. */
export const File = z.strictObject({
  _id: ResourceId,
  _name: FileName,
  _type: z.enum(['file', 'dir']),
  _irn: z.string(),
  _status: z.enum(['CREATED', 'UPLOAD_INITIATED', 'UPLOAD_INTERRUPTED', 'UPLOAD_COMPLETED']),
  _namespaces: z.array(Namespace).min(1).max(20),
  /** Ids of folders; empty at the root. */
  _parents: z.array(ResourceId).max(MAX_PARENTS),
  _tags: z.array(printable.min(1).max(50)).max(MAX_TAGS),
  _tipId: z.string().optional(),
  _tipVersion: z.number().optional(),
  _nextVersion: z.number().optional(),
  /** The tip. */
  _fileVersion: ShownVersion.optional(),
  _previews: z.array(
    z.object({ _id: z.string(), _width: z.number(), _height: z.number(), _fileVersionId: z.string() }),
  ),
  /** The latest resumable upload. */
  _uploadMeta: z
    .object({
      /** Bytes. */
      _size: z.int().min(0),
      _checksum: z.string().min(1).max(256),
      _uploadId: z.string(),
    })
    .optional(),
  _metadata: Metadata,
  /** Rises with every change that callers see: the entity tag. */
  _revision: z.int().min(0),
  internal: z.object({
    /** One for each namespace and place in which the name is taken; unique over all files. */
    nameKeys: z.array(z.string()),
    /** All folders above the file. */
    ancestors: z.array(z.string()),
    /** The namespaces of a file at the root; empty for others. */
    rootOf: z.array(z.string()),
    /** Content of the tip. */
    content: Content.optional(),
    /** The unfinished resumable upload. */
    uploadId: z.string().optional(),
    /** How often previews of a version that is not the tip were recorded. */
    previewsMade: z.number().optional(),
    /** A folder that is being removed accepts nothing new before this time, in milliseconds since 1970. */
    removingUntil: z.number().optional(),
  }),
});
export type File = z.infer<typeof File>;

/** A file or folder as callers see it. */
export const ShownFile = File.omit({ _revision: true, internal: true }).extend({
  /** Download URL, if requested. */
  _url: z.string().optional(),
});
export type ShownFile = z.infer<typeof ShownFile>;

export const showFile = ({ _revision, internal, ...shown }: File): ShownFile => shown;

/** Content that streams in before it is known which file it belongs to. */
export const Draft = z.object({
  /** Becomes the id of the version. */
  _id: z.string(),
  /** Key of the object. */
  key: z.string(),
  multipartId: z.string().optional(),
  touchedAt: z.date(),
});
export type Draft = z.infer<typeof Draft>;

/** Object key of a version's content. `attempt` counts how often its upload was restarted. */
export const versionKey = (versionId: string, attempt = 0): string =>
  `versions/${versionId}${attempt > 0 ? `.${attempt}` : ''}`;
