import type { Input } from '@dtplatform/sdk';
import { client, useChange, useNamespace } from '../frame';
import type { Orchestrator } from './schedule';

type Change = Input<'datasourcesvc.orchestrators.update'>['body'];

/** Changes an orchestrator depending on its current state. Fails if somebody else changes it in between. */
export function useUpdate(id: string) {
  const namespace = useNamespace()!;
  const update = useChange('datasourcesvc.orchestrators.update');
  return async (changeOf: (current: Orchestrator) => Change): Promise<Orchestrator> => {
    const path = { id };
    const { body, headers } = await client.in(namespace).send('datasourcesvc.orchestrators.get', { path });
    const tag = headers.get('etag') ?? undefined;
    return update.mutateAsync({ path, body: changeOf(body), headers: { 'If-Match': tag } });
  };
}
