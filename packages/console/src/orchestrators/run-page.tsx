import { Alert, Button, Code, Group, Progress, Text } from '@mantine/core';
import type { Run } from '@dtplatform/sdk';
import { printed, reprinted, useChange, useId, useRights, useText } from '../frame';
import { ConfirmButton, Detail, Failure, PageLink, Pending } from '../ui';
import { RUN_TIMEOUT_MS } from './run-buttons';
import { durationOf, RunStatus, useDuration } from './run-status';
import { Starter } from './runs';
import { hasEnded, useRun } from './use-run';

type Step = Run['orchrunsteps'][number];

/** One run, as it happens. */
export function RunPage() {
  const { text, time, number } = useText();
  const { run, parameters = [], read } = useRun(useId('runId'));
  const duration = useDuration();
  if (!run) return <Pending of={[read]} />;
  return (
    <Detail
      title={text('runs.of', { name: run._name })}
      properties={[
        [text('list.status'), <RunStatus status={run._status} />],
        [text('runs.started'), time(run._createdat)],
        [text('runs.duration'), duration(durationOf(run))],
        [text('runs.starter'), <Starter id={run._retriedby ?? run._createdby} isRetry={!!run._retriedby} />],
        [text('runs.attempts'), run._attempts > 1 ? number(run._attempts) : undefined],
        [text('runs.orchestrator'), <PageLink to={`/orchestrators/${run._orchid}`}>{run._name}</PageLink>],
      ]}
      actions={<Actions run={run} />}
    >
      <Reason run={run} />
      <div role="status">
        <Text size="sm">{`${number(Math.round(run._progress))} % ${hasEnded(run) ? '' : run._statusmsg}`}</Text>
      </div>
      <Progress value={run._progress} aria-label={text('state.progress')} />
      <ol className="steps">
        {run.orchrunsteps.map((step) => (
          <StepState
            key={step.id}
            step={step}
            params={parameters.find(({ id }) => id === step.id)?._actualparams ?? ''}
          />
        ))}
      </ol>
    </Detail>
  );
}

/** Why a run failed. */
function Reason({ run }: { run: Run }) {
  const { text } = useText();
  if (run._status !== 'ERROR') return undefined;
  const index = run.orchrunsteps.findIndex(({ _status }) => _status === 'ERROR');
  const step = run.orchrunsteps[index];
  return (
    <Alert color="red" role="alert" title={text('runs.why')}>
      {step && `${text('steps.step', { number: index + 1 })} (${step._name}): `}
      {run._statusmsg || step?._statusmsg || text('state.noReason')}
    </Alert>
  );
}

function Actions({ run }: { run: Run }) {
  const { text } = useText();
  const [mayRun] = useRights(`datasourcesvc:orchestrator:${run._orchid}`, ['RUN']);
  const retry = useChange('datasourcesvc.runs.retry');
  const cancel = useChange('datasourcesvc.runs.cancel');
  const path = { id: run.id };
  const done = run.orchrunsteps.filter(({ _status }) => _status === 'COMPLETED').length;
  if (!mayRun || run._status === 'COMPLETED') return undefined;
  if (!hasEnded(run))
    return (
      <ConfirmButton label={text('runs.cancel')} onConfirm={() => cancel.mutateAsync({ path })}>
        {text('runs.cancelEffect', { done, count: run.orchrunsteps.length })}
      </ConfirmButton>
    );
  return (
    <>
      <Button loading={retry.isPending} onClick={() => retry.mutate({ path, timeoutMs: RUN_TIMEOUT_MS })}>
        {text('form.retry')}
      </Button>
      {retry.error && <Failure error={retry.error} />}
    </>
  );
}

function StepState({ step, params }: { step: Step; params: string }) {
  const { text, number } = useText();
  const duration = useDuration();
  const hasResult = step._result !== undefined && step._result !== null;
  return (
    <li>
      <Group gap="md">
        <Text fw={600}>{step._name}</Text>
        <RunStatus status={step._status} />
        <Text size="sm">{`${number(Math.round(step._progress))} %`}</Text>
        <Text size="sm">{duration(durationOf({ orchrunsteps: [step], _status: step._status }))}</Text>
      </Group>
      {step._statusmsg !== '' && <Text>{step._statusmsg}</Text>}
      {step._log && step._log.length > 0 && (
        <Block label={text('runs.log')} role="log">
          {step._log.join('\n')}
        </Block>
      )}
      {hasResult && <Block label={text('state.result')}>{printed(step._result)}</Block>}
      {params !== '' && params !== '{}' && (
        <details>
          <summary>{text('runs.parameters')}</summary>
          <Block label={text('runs.parameters')}>{reprinted(params)}</Block>
        </details>
      )}
    </li>
  );
}

function Block({ label, role = 'group', children }: { label: string; role?: string; children: string }) {
  return (
    <>
      <Text size="sm" c="dimmed" aria-hidden>
        {label}
      </Text>
      <Code block className="output" tabIndex={0} role={role} aria-label={label}>
        {children}
      </Code>
    </>
  );
}
