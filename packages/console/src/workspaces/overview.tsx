import { Code } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCall, useChange, useId, useNamespace, useRights, useText } from '../frame';
import { ConfirmButton, Detail, EditButton, Empty, Pending, useNameFields } from '../ui';
import { isMain } from '../metrics/names';
import { useMetricTexts } from '../metrics/use-metric-texts';

/** One workspace: its properties, and what it holds in numbers. */
export function Overview() {
  const { text, time } = useText();
  const id = useId('id');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const namespace = useNamespace()!;
  const workspace = useCall('passportsvc.workspaces.get', { path: { id } });
  const update = useChange('passportsvc.workspaces.update');
  const remove = useChange('passportsvc.workspaces.delete');
  const [mayEdit, mayDelete] = useRights(`passportsvc:workspace:${id}`, ['EDIT', 'DELETE']);
  const fields = useNameFields(workspace.data?._name, workspace.data?._description);
  if (!workspace.data) return <Pending of={[workspace]} />;
  const { _name, _description, _metadata, _shortName } = workspace.data;
  const name = _name ?? id;
  return (
    <Detail
      title={name}
      properties={[
        [text('form.description'), _description],
        [text('workspaces.namespace'), <Code>{namespace}</Code>],
        [text('form.shortName'), _shortName],
        [text('list.created'), `${time(_metadata._createdAt)}, ${_metadata._createdByName}`],
      ]}
      actions={
        <>
          {mayEdit && <EditButton fields={fields} onSubmit={(body) => update.mutateAsync({ path: { id }, body })} />}
          {mayDelete && (
            <ConfirmButton
              typed={name}
              onConfirm={async () => {
                await remove.mutateAsync({ path: { id } });
                queries.clear();
                await navigate({ to: '/' });
              }}
            >
              <p>{text('workspaces.deleteEffect', { name })}</p>
              <Numbers />
            </ConfirmButton>
          )}
        </>
      }
    >
      <Numbers />
    </Detail>
  );
}

/** What the namespace holds. */
function Numbers() {
  const { text } = useText();
  const { nameOf, write } = useMetricTexts();
  const namespace = useNamespace()!;
  const values = useCall('metricsvc.metrics.list', { query: { namespace } });
  if (!values.data) return <Pending of={[values]} />;
  const shown = values.data.metrics.filter(({ metricName, value }) => value !== 0 && isMain(metricName));
  if (shown.length === 0) return <Empty>{text('metrics.empty')}</Empty>;
  return (
    <dl className="numbers">
      {shown.map(({ metricName, value }) => (
        <div key={metricName}>
          <dt>{nameOf(metricName)}</dt>
          <dd>{write(metricName, value)}</dd>
        </div>
      ))}
    </dl>
  );
}
