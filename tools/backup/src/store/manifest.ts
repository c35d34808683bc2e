import { z } from 'zod';
import { Rejected } from '../failures.js';

/** Raised when older programs cannot restore what newer ones write. */
export const FORMAT = 1;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.int().min(0);
const FileName = z.string().regex(/^[A-Za-z0-9_.-]{1,200}$/);

export const DumpedCollection = z.object({
  name: z.string().min(1).max(200),
  file: FileName,
  /** Size of the compressed file. */
  bytes: Count,
  sha256: Sha256,
  documents: Count,
  /** Size of the documents as BSON. */
  documentBytes: Count,
  /** Digest of the documents in any order (`ContentDigest`). */
  digest: Sha256,
  /** As extended JSON. */
  options: z.record(z.string(), z.unknown()),
  indexes: z.array(z.record(z.string(), z.unknown())),
});
export type DumpedCollection = z.infer<typeof DumpedCollection>;

/** The objects are listed in a separate file, one JSON object per line. */
const ObjectList = z.object({
  file: FileName,
  sha256: Sha256,
  objects: Count,
  bytes: Count,
  /** Referenced objects that the bucket did not have. */
  missing: Count,
});

export const Manifest = z.object({
  format: z.int(),
  platformVersion: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** The id that filesvc's database shares with its bucket. */
  installation: z.string().optional(),
  databases: z.record(z.string().regex(/^[a-z]{1,40}$/), z.array(DumpedCollection)),
  objects: ObjectList,
  /** Names of the secrets that the platform used; their values are not backed up. */
  secrets: z.array(z.string()),
});
export type Manifest = z.infer<typeof Manifest>;

export const ListedObject = z.object({
  key: z.string().regex(/^(?:versions|previews)\/[0-9a-f]{24}(?:\.\d+)?$/),
  size: Count,
  /** Absent if the object was missing. */
  sha256: Sha256.optional(),
  contentType: z.string().optional(),
  contentEncoding: z.string().optional(),
});
export type ListedObject = z.infer<typeof ListedObject>;

export const totalsOf = ({ databases }: Pick<Manifest, 'databases'>) => {
  const all = Object.values(databases).flat();
  const sumOf = (key: 'documents' | 'documentBytes') => all.reduce((sum, { [key]: count }) => sum + count, 0);
  return { documents: sumOf('documents'), documentBytes: sumOf('documentBytes') };
};

/** @throws Rejected for a manifest that this version cannot read */
export function parseManifest(content: unknown, file: string): Manifest {
  const { format } = z.object({ format: z.int() }).catch({ format: 0 }).parse(content);
  if (format > FORMAT)
    throw new Rejected(`${file} has format ${format}, and this version reads ${FORMAT}: use the version that wrote it`);
  const parsed = Manifest.safeParse(content);
  if (!parsed.success) throw new Rejected(`${file} is damaged: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
