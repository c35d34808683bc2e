import { useCall } from '../frame';
import { PageLink } from '../ui';
import type { Resource } from './names';

type Named =
  | 'filesvc.files.get'
  | 'graphicssvc.filesets.get'
  | 'datasourcesvc.orchestrators.get'
  | 'passportsvc.usergroups.get'
  | 'itemsvc.items.get';

/** The pages of resources, and the operations that find their names. */
const PAGES: Partial<Record<string, readonly [page: string, operation: Named]>> = {
  'filesvc:file': ['/files', 'filesvc.files.get'],
  'graphicssvc:fileset': ['/graphics', 'graphicssvc.filesets.get'],
  'datasourcesvc:orchestrator': ['/orchestrators', 'datasourcesvc.orchestrators.get'],
  'passportsvc:usergroup': ['/groups', 'passportsvc.usergroups.get'],
  items: ['/items', 'itemsvc.items.get'],
};

/** The name of a resource, with a link to its page if it has one. */
export function ResourceLink({ irn, name }: Resource) {
  const [service, type, id = ''] = irn.split(':');
  const kind = service === 'itemsvc' && type!.startsWith('named') ? 'items' : `${service}:${type}`;
  const [page, operation] = PAGES[kind] ?? [];
  const isShown = page !== undefined && /^\w+$/.test(id);
  // A name that the page knows is not read again.
  const isEnabled = isShown && name === irn;
  const found = useCall(operation ?? 'filesvc.files.get', { path: { id } }, { refreshMs: false, isEnabled });
  return isShown ? <PageLink to={`${page}/${id}`}>{found.data?._name ?? name}</PageLink> : name;
}
