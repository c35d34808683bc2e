import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@dtplatform/sdk';
import { useState } from 'react';
import { useChange, useGo, useJson, useText } from '../frame';
import { Dialog, Failure, Pending } from '../ui';
import { schemaOf, useComponents } from './components';
import type { Component } from './components';
import { draftOfStep } from './draft';
import { ParameterFields } from './parameter-fields';
import { paramsOf } from './parameters';
import type { Orchestrator } from './schedule';

/** Runs of class INSTANT run within the call. */
export const RUN_TIMEOUT_MS = 150_000;

/** Starts a run and shows it. */
function useStart(id: string) {
  const go = useGo();
  const run = useChange('datasourcesvc.orchestrators.run');
  return useMutation({
    mutationFn: async (changed: () => Schemas['StepOverride'][]) => {
      const _actualparams = changed();
      const body = _actualparams.length > 0 ? { body: { _actualparams } } : {};
      const started = await run.mutateAsync({ path: { id }, ...body, timeoutMs: RUN_TIMEOUT_MS });
      await go(`/orchestrators/${id}/runs/${started.id}`);
    },
  });
}

/** Starts a run: as stored, or with other parameters. */
export function RunButtons({ orchestrator }: { orchestrator: Orchestrator }) {
  const { text } = useText();
  const start = useStart(orchestrator.id);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button loading={start.isPending} onClick={() => start.mutate(() => [])}>
        {text('runs.start')}
      </Button>
      <Button variant="default" onClick={open}>
        {text('runs.startWith')}
      </Button>
      <Dialog isOpen={start.error !== null} onClose={() => start.reset()} title={text('runs.start')}>
        {start.error && <Failure error={start.error} />}
      </Dialog>
      <Dialog isOpen={isOpen} onClose={close} title={text('runs.startWith')} size="lg">
        <RunForm orchestrator={orchestrator} />
      </Dialog>
    </>
  );
}

function RunForm({ orchestrator }: { orchestrator: Orchestrator }) {
  const components = useComponents();
  if (!components.data) return <Pending of={[components]} />;
  return <Parameters orchestrator={orchestrator} components={components.data._list} />;
}

function Parameters({ orchestrator, components }: { orchestrator: Orchestrator; components: Component[] }) {
  const { text } = useText();
  const start = useStart(orchestrator.id);
  const [stored] = useState(() => orchestrator.orchsteps.map((step) => draftOfStep(step, components)));
  const [steps, setSteps] = useState(stored);
  const parse = useJson();
  const changed = () =>
    steps.flatMap(({ component, number, typed }, index) => {
      if (typed === stored[index]!.typed) return [];
      return [{ _sequenceno: number, params: paramsOf(typed, schemaOf(components, component), parse) }];
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(changed);
      }}
    >
      <Stack>
        <Text size="sm">{text('runs.startHelp')}</Text>
        <div className="steps">
          {steps.map((step, index) => (
            <fieldset key={step.key}>
              <legend>{`${index + 1}. ${step.name}`}</legend>
              <Stack gap="xs">
                <ParameterFields
                  schema={schemaOf(components, step.component)}
                  typed={step.typed}
                  mayMiss
                  onChange={(typed) => setSteps(steps.with(index, { ...step, typed }))}
                />
              </Stack>
            </fieldset>
          ))}
        </div>
        {start.error && <Failure error={start.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={start.isPending}>
            {text('runs.start')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
