import { Stack } from '@mantine/core';
import { useChange, useGo, useText } from '../frame';
import { PageTitle, Pending } from '../ui';
import { useComponents } from './components';
import { Editor } from './editor';
import type { Edited } from './draft';
import { RUN_TIMEOUT_MS } from './run-buttons';

/** Creates an orchestrator. */
export function NewOrchestratorPage() {
  const { text } = useText();
  const go = useGo();
  const components = useComponents();
  const create = useChange('datasourcesvc.orchestrators.create');
  const run = useChange('datasourcesvc.orchestrators.run');
  async function submit({ _name, _description, tasks = [], schedule, isOnce }: Edited) {
    const scheduled = schedule && { _class: 'SCHEDULED' as const, _orchschedule: schedule };
    const body = { _name, ...(_description !== '' && { _description }), _params: { tasks }, ...scheduled };
    const created = await create.mutateAsync({ body });
    const page = `/orchestrators/${created.id}`;
    if (!isOnce) await go(page);
    else {
      const { id } = await run.mutateAsync({ path: { id: created.id }, timeoutMs: RUN_TIMEOUT_MS });
      await go(`${page}/runs/${id}`);
    }
    return created;
  }
  if (!components.data) return <Pending of={[components]} />;
  return (
    <Stack>
      <PageTitle>{text('orchestrators.create')}</PageTitle>
      <Editor components={components.data._list} submit={text('form.create')} onSubmit={submit} />
    </Stack>
  );
}
