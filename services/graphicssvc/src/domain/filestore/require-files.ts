import { ResourceId } from '@dtplatform/contracts';
import { errors } from '../../errors.js';
import type { FileSource, SourceFile } from './ports.js';

export interface Caller {
  token: string;
  /** The namespace of the call. */
  namespace: string;
}

/** Whether a text can be the id of a file or a version. */
export const isId = (text: string): boolean => ResourceId.safeParse(text).success;

/** Finds files, by their ids. @throws 404 unless the caller may read all of them */
export async function requireFiles(
  files: Pick<FileSource, 'find'>,
  ids: string[],
  { namespace, token }: Caller,
): Promise<Map<string, SourceFile>> {
  if (!ids.every(isId)) throw errors.fileNotFound();
  const found = await files.find(ids, namespace, { token });
  const byId = new Map(found.map((file) => [file.id, file]));
  if (!ids.every((id) => byId.has(id))) throw errors.fileNotFound();
  return byId;
}
