import { z } from 'zod';

/**
 * What the backup programs and filesvc agree on. While a backup holds this lease in the database of filesvc, nothing is
 * removed from the bucket: the objects that the dump names are copied after it.
 */
export const BACKUP_LEASE = { name: 'backup', ttlMs: 120_000 } as const;

/** The part of a document of `file_versions` that names objects. */
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

/** The objects that a file version names. */
export const objectsOfVersion = ({ _fileSize, internal }: z.infer<typeof StoredVersion>): NamedObject[] => [
  { key: internal.key, size: _fileSize },
  ...(internal.previews ?? []).map(({ _id, size }) => ({ key: `previews/${_id}`, size })),
];

/**
 * Lets unfinished uploads start over, as an update of `uploads`: their parts exist in no copy of the bucket. Nobody else writes
 * these documents meanwhile.
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
