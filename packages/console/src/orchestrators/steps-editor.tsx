import { Button, Group, Stack, Text } from '@mantine/core';
import { Input, Select } from '../ui';
import { useText } from '../frame';
import { schemaOf } from './components';
import type { Component } from './components';
import type { StepDraft } from './draft';
import { ParameterFields } from './parameter-fields';

interface StepsProps {
  steps: StepDraft[];
  components: Component[];
  onChange: (steps: StepDraft[]) => void;
  mayMiss: boolean;
}

/** The steps in the order in which they run. */
export function StepsEditor({ steps, components, onChange, mayMiss }: StepsProps) {
  const { text } = useText();
  const newStep = () => ({ key: crypto.randomUUID(), component: components[0]?.name ?? '', name: '', typed: {} });
  function move(index: number, by: number): void {
    onChange(steps.toSpliced(index, 1).toSpliced(index + by, 0, steps[index]!));
    // Elements that move lose the focus.
    const button = document.activeElement as HTMLElement | null;
    setTimeout(() => button?.focus());
  }
  return (
    <Stack>
      <ol className="steps">
        {steps.map((step, index) => {
          const label = text('steps.step', { number: index + 1 });
          const button = (key: 'steps.up' | 'steps.down' | 'form.remove', isOff: boolean, onClick: () => void) => (
            <Button
              {...{ size: 'compact-sm', variant: 'default', 'aria-disabled': isOff || undefined }}
              aria-label={`${text(key)}: ${label}`}
              // The button keeps the focus at either end.
              onClick={() => !isOff && onClick()}
              data-disabled={isOff || undefined}
            >
              {text(key)}
            </Button>
          );
          return (
            <li key={step.key}>
              <fieldset aria-label={label}>
                <Group justify="space-between">
                  <Text fw={600}>{label}</Text>
                  <Group gap="xs">
                    {button('steps.up', index === 0, () => move(index, -1))}
                    {button('steps.down', index === steps.length - 1, () => move(index, 1))}
                    {button('form.remove', steps.length === 1, () => onChange(steps.toSpliced(index, 1)))}
                  </Group>
                </Group>
                <StepFields
                  step={step}
                  components={components}
                  mayMiss={mayMiss}
                  onChange={(changed) => onChange(steps.with(index, changed))}
                />
              </fieldset>
            </li>
          );
        })}
      </ol>
      <Group>
        <Button variant="default" onClick={() => onChange([...steps, newStep()])}>
          {text('steps.add')}
        </Button>
      </Group>
    </Stack>
  );
}

interface StepProps {
  step: StepDraft;
  components: Component[];
  onChange: (step: StepDraft) => void;
  mayMiss: boolean;
}

function StepFields({ step, components, onChange, mayMiss }: StepProps) {
  const { text } = useText();
  const component = components.find(({ name }) => name === step.component);
  // Steps keep the name of a component that nobody serves any more.
  const names = [...new Set([...components.map(({ name }) => name), step.component])];
  return (
    <Stack gap="xs">
      <Group align="flex-start" className="fields">
        <Select
          label={text('steps.component')}
          description={component ? component.description : text('steps.noComponent')}
          data={names}
          value={step.component}
          onChange={(value) => onChange({ ...step, component: value, name: '', typed: {} })}
        />
        <Input
          label={text('form.name')}
          description={text('steps.nameHelp')}
          maxLength={256}
          placeholder={step.component}
          value={step.name}
          onChange={(value) => onChange({ ...step, name: value })}
        />
      </Group>
      <ParameterFields
        schema={schemaOf(components, step.component)}
        typed={step.typed}
        mayMiss={mayMiss}
        onChange={(typed) => onChange({ ...step, typed })}
      />
    </Stack>
  );
}
