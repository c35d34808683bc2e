import { z } from 'zod';

/**
 * Shared by the backup programs and filesvc. While a backup holds this lease in filesvc's database, nothing is deleted
 * from the bucket, because the objects that the dump references are copied afterwards.
 */
export const BACKUP_LEASE = { name: 'backup', ttlMs: 120_000 } as const;

/** The fields of a `file_versions` document that reference objects. */
export const StoredVersion = z.object({
  _id: z.string(),
  _fileSize: z.number(),
  internal: z.object({
    key: z.string(),
    previews: z.array(z.object({ _id: z.string(), size: z.number() })).optional(),
  }),
});

export interface NamedObject {
  key: string;
  size: number;
}

/** The objects that a file version references. */
export const objectsOfVersion = ({ _fileSize, internal }: z.infer<typeof StoredVersion>): NamedObject[] => [
  { key: internal.key, size: _fileSize },
  ...(internal.previews ?? []).map(({ _id, size }) => ({ key: `previews/${_id}`, size })),
];

/**
 * An update of `uploads` that restarts unfinished uploads: no copy of the bucket contains their parts. It runs while
 * nobody else writes these documents.
 */
export const RESTART_UPLOADS = [
  {
    $set: {
      ...{ parts: [], offset: 0, nextPartNumber: 1, looseTails: [], isCompleting: false },
      restarts: { $add: ['$restarts', 1] },
      key: { $concat: ['versions/', '$_id', '.', { $toString: { $add: ['$restarts', 1] } }] },
    },
  },
  { $unset: ['tail', 'multipartId'] },
];
