import { ok } from '@dtplatform/http';
import type { Reply } from '@dtplatform/http';
import { shown } from '../../domain/file.js';
import type { StoredFile } from '../../domain/file.js';
import type { ListChildrenQuery } from './files.schemas.js';

export const pagingOf = ({ _offset, _pageSize }: ListChildrenQuery) => ({ offset: _offset, pageSize: _pageSize });

/** What both lists can be narrowed by. */
export const filtersOf = ({ nsfilter, _namespaces, _ids, _name, _tags }: ListChildrenQuery) => ({
  context: nsfilter,
  namespaces: _namespaces,
  ids: _ids,
  name: _name,
  tags: _tags,
});

/** A page of files as all lists answer it. */
export const filePage = (
  { _offset, _pageSize }: ListChildrenQuery,
  { list, total }: { list: StoredFile[]; total: number },
): Reply => ok({ _offset, _pageSize, _total: total, _includeTotal: true, _list: list.map(shown) });
