import { useText } from '../frame';
import { PageLink } from '../ui';
import type { MessageKey } from '../messages/en';
import type { Column } from '../ui/resource-table';
import { bytesOf, extensionOf, isFolder } from './entry';
import type { Entry } from './entry';

/** The text of a status; folders have none that matters. */
export const STATUS: Record<Entry['_status'], MessageKey | undefined> = {
  CREATED: undefined,
  UPLOAD_INITIATED: 'files.initiated',
  UPLOAD_INTERRUPTED: 'files.interrupted',
  UPLOAD_COMPLETED: 'files.complete',
};

/** Each tag leads to everything that has it. */
export function Tags({ tags }: { tags: string[] }) {
  return tags.map((tag, index) => (
    <span key={tag}>
      {index > 0 && ', '}
      <PageLink to={`/files?tag=${encodeURIComponent(tag)}`}>{tag}</PageLink>
    </span>
  ));
}

/** The columns of a list of files and folders. */
export function useEntryColumns(): Column<Entry>[] {
  const { text, bytes } = useText();
  const typeOf = (entry: Entry) => (isFolder(entry) ? text('files.folder') : extensionOf(entry._name).toUpperCase());
  const statusOf = ({ _status }: Entry) => {
    const key = STATUS[_status];
    return key ? text(key) : '';
  };
  return [
    {
      title: text('form.name'),
      value: ({ _name }) => _name,
      to: (entry) => (isFolder(entry) ? `/files?folder=${entry._id}` : `/files/${entry._id}`),
    },
    { title: text('list.type'), value: typeOf },
    {
      ...{ title: text('list.size'), value: (entry) => bytes(bytesOf(entry)) },
      key: (entry) => bytesOf(entry) ?? -1,
    },
    { title: text('list.updated'), time: ({ _metadata }) => _metadata._updatedAt },
    { title: text('list.status'), value: statusOf },
    { title: text('files.tags'), value: ({ _tags }) => <Tags tags={_tags} />, key: ({ _tags }) => _tags.join(' ') },
  ];
}
