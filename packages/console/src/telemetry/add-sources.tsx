import { useChange, useRights, useText } from '../frame';
import { FormButton, linesOf } from '../ui';

/** Adds sources to a telemetry collection, for those that may. */
export function AddSources({ id }: { id: string }) {
  const { text } = useText();
  const create = useChange('itemsvc.relatedItems.create');
  const [mayCreate] = useRights(`itemsvc:nameduseritem:${id}`, ['CREATE']);
  if (!mayCreate) return undefined;
  return (
    <FormButton
      label={text('telemetry.addSources')}
      variant="default"
      fields={[
        {
          ...{ name: 'ids', label: text('telemetry.sourceIds'), help: text('telemetry.sourceIdsHelp') },
          ...{ kind: 'lines', isRequired: true },
        },
      ]}
      onSubmit={({ ids }) =>
        create.mutateAsync({ path: { id }, body: linesOf(ids).map((_sourceId) => ({ _sourceId })) })
      }
    />
  );
}
