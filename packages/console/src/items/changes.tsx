import { SubjectName } from '../access/subject';
import { useCall, useText } from '../frame';
import { Empty, Pending } from '../ui';
import type { Item } from './model';

/** Who has changed an item and its versions, latest first. */
export function Changes({ item: { _id: id } }: { item: Item }) {
  const { text, time } = useText();
  const logs = useCall('itemsvc.updateLogs.list', { path: { id } });
  if (!logs.data) return <Pending of={[logs]} />;
  if (logs.data.length === 0) return <Empty>{text('items.noChanges')}</Empty>;
  const latestFirst = logs.data.toSorted((one, other) => other._updatedAt - one._updatedAt);
  return (
    <ul>
      {latestFirst.map(({ _updatedAt, _updatedBy }, index) => (
        <li key={index}>
          {time(_updatedAt)}, <SubjectName type="user" id={_updatedBy} />
        </li>
      ))}
    </ul>
  );
}
