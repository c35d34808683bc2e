import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { Item } from '../nameduseritems/item.js';
import type { Files } from './ports.js';
import type { NewRelatedItem } from './related-item.js';

const MAX_DETAILS = 20;

/** The call that refers to files. */
interface FilesContext {
  item: Item;
  /** `nsfilter` */
  namespace: string;
  access: Access;
  signal: AbortSignal;
}

/**
 * Checks the files that file items refer to; items of other collections refer to none.
 * @param places where each of the wanted items is in the request, such as `body.0`
 * @throws 400 when one does not exist, or the caller may not read it
 */
export async function requireFiles(
  files: Files,
  wanted: NewRelatedItem[],
  places: (index: number) => string,
  { item, access, namespace, signal }: FilesContext,
): Promise<void> {
  if (item._itemClass !== 'NamedFileCollection') return;
  const ids = [...new Set(wanted.map(({ _fileId }) => _fileId as string))];
  const missing = await files.missing(ids, { token: access.principal.token, namespace, signal });
  if (missing.size === 0) return;
  const details = wanted.flatMap(({ _fileId }, index) =>
    missing.has(_fileId as string) ? [{ location: `${places(index)}._fileId`, message: 'no such file' }] : [],
  );
  throw errors.fileMissing({ details: details.slice(0, MAX_DETAILS) });
}
