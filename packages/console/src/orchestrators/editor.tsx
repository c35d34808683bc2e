import { Alert, Button, Checkbox, Group, Stack, Textarea, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useJson, useText } from '../frame';
import { Failure, Input } from '../ui';
import type { Component } from './components';
import { draftOf, editedOf, isMissing, isSame } from './draft';
import type { Draft, Edited } from './draft';
import type { Orchestrator } from './schedule';
import { ScheduleFields } from './schedule-fields';
import { StepsEditor } from './steps-editor';

interface EditorProps {
  orchestrator?: Orchestrator;
  components: Component[];
  submit: string;
  /** Resolves with what has been stored. */
  onSubmit: (edited: Edited, base?: Orchestrator) => Promise<Orchestrator>;
}

/** The state of the form: what was typed since the orchestrator was read, and what is wrong with it. */
function useEditor({ orchestrator, components, onSubmit }: EditorProps) {
  const { text } = useText();
  const parse = useJson();
  const [base, setBase] = useState(orchestrator);
  const [draft, setDraft] = useState(() => draftOf(orchestrator, components));
  const [mayMiss, setMayMiss] = useState(() => orchestrator !== undefined && isMissing(draft.steps, components));
  const isDirty = !isSame(draft, draftOf(base, components));
  const isStale = Number(orchestrator?._updatedat) > Number(base?._updatedat);
  function load(stored: Orchestrator | undefined): void {
    setBase(stored);
    setDraft(draftOf(stored, components));
  }
  const submission = useMutation({
    mutationFn: () => onSubmit(editedOf(draft, base, components, parse), base),
    onSuccess: load,
  });
  if (isStale && !isDirty && !submission.isPending) load(orchestrator);
  useBlocker({
    shouldBlockFn: () => isDirty && !submission.isPending && !window.confirm(text('orchestrators.unsaved')),
    enableBeforeUnload: isDirty,
  });
  const set = (change: Partial<Draft>) => setDraft((current) => ({ ...current, ...change }));
  return {
    ...{ draft, set, mayMiss, setMayMiss, submission, isDirty, isStale, isNew: base === undefined },
    reload: () => load(orchestrator),
  };
}

/** The form of an orchestrator: its steps and its schedule. */
export function Editor(props: EditorProps) {
  const { text } = useText();
  const { components } = props;
  const editor = useEditor(props);
  const { draft, set, submission, mayMiss } = editor;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submission.mutate();
      }}
    >
      <Stack>
        <Input
          label={text('form.name')}
          required
          maxLength={256}
          value={draft.name}
          onChange={(value) => set({ name: value })}
        />
        <Textarea
          label={text('form.description')}
          rows={2}
          maxLength={4000}
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <Title order={3} size="h4">
          {text('steps.title')}
        </Title>
        <StepsEditor
          components={components}
          steps={draft.steps}
          mayMiss={mayMiss}
          onChange={(steps) => set({ steps })}
        />
        {isMissing(draft.steps, components) && (
          <Checkbox
            label={text('steps.mayMiss')}
            checked={mayMiss}
            onChange={(event) => editor.setMayMiss(event.currentTarget.checked)}
          />
        )}
        <Title order={3} size="h4">
          {text('schedule.title')}
        </Title>
        <ScheduleFields draft={draft.schedule} isNew={editor.isNew} onChange={(schedule) => set({ schedule })} />
        <Outcome editor={editor} submit={props.submit} />
      </Stack>
    </form>
  );
}

/** The end of the form: its button, and what became of it. */
function Outcome({ editor, submit }: { editor: ReturnType<typeof useEditor>; submit: string }) {
  const { text } = useText();
  const { submission, isDirty, isStale, reload } = editor;
  return (
    <>
      {isDirty && isStale && !submission.isPending && (
        <Alert color="yellow" role="alert" title={text('orchestrators.changed')}>
          <Button variant="default" onClick={reload}>
            {text('orchestrators.reload')}
          </Button>
        </Alert>
      )}
      {submission.error && <Failure error={submission.error} />}
      <Group>
        <Button type="submit" loading={submission.isPending}>
          {submit}
        </Button>
        <span role="status">{submission.isSuccess && !isDirty && text('form.saved')}</span>
      </Group>
    </>
  );
}
