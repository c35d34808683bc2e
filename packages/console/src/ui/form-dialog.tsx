import { Button, Checkbox, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../messages/text';
import { Dialog } from './dialog';
import type { Field, Values } from './fields';
import { notify } from './notice';
import { Failure } from './states';

interface FormProps {
  fields: Field[];
  /** Defaults to "Create". */
  submit?: string;
  /** Rejects with the error to show. The dialog closes when it resolves. */
  onSubmit: (values: Values) => Promise<unknown>;
  /** What is said when it is done. */
  done?: string;
  /** What the values will cause. */
  preview?: (values: Values) => ReactNode;
}

interface ButtonProps extends FormProps {
  label: string;
  /** The title of the form. Defaults to the label. */
  title?: string;
  variant?: 'default';
  onOpen?: () => void;
}

/** A button that opens a form. */
export function FormButton({ label, variant, title = label, onOpen, ...form }: ButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false, { onOpen });
  return (
    <>
      <Button variant={variant} onClick={open}>
        {label}
      </Button>
      <FormDialog {...form} title={title} isOpen={isOpen} onClose={close} />
    </>
  );
}

/** A button that opens the form of a resource to change it. */
export function EditButton({ label, ...form }: Omit<ButtonProps, 'label'> & { label?: string }) {
  const { text } = useText();
  return <FormButton {...form} variant="default" label={label ?? text('form.edit')} submit={text('form.save')} />;
}

interface DialogProps extends FormProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
}

/** The form of every resource, in a dialog. */
export function FormDialog({ isOpen, onClose, title, ...form }: DialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} size="lg">
      <Form {...form} onClose={onClose} />
    </Dialog>
  );
}

function Form({ fields, submit, onSubmit, done, preview, onClose }: Omit<DialogProps, 'isOpen' | 'title'>) {
  const { text } = useText();
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])),
  );
  const submission = useMutation({
    mutationFn: () => onSubmit(values),
    onSuccess() {
      onClose();
      if (done !== undefined) notify(done);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submission.mutate();
      }}
    >
      <Stack>
        {fields.map((field, index) => (
          <FieldInput
            key={field.name}
            field={field}
            isFirst={index === 0}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues((current) => ({ ...current, [field.name]: value }))}
          />
        ))}
        {preview?.(values)}
        {submission.error && <Failure error={submission.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text('form.cancel')}
          </Button>
          <Button type="submit" loading={submission.isPending}>
            {submit ?? text('form.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** As many as the JSON has, within limits. */
const rowsOf = (value: string) => Math.min(16, Math.max(4, value.split('\n').length + 1));

interface FieldInputProps {
  field: Field;
  isFirst: boolean;
  value: string;
  onChange: (value: string) => void;
}

function FieldInput({ field, isFirst, value, onChange }: FieldInputProps) {
  const { kind = 'text', label, help, isRequired, maxLength, choices, min } = field;
  const shared = { label, description: help, required: isRequired, 'data-autofocus': isFirst || undefined };
  const onEvent = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  if (kind === 'choice') return <NativeSelect {...shared} data={choices} value={value} onChange={onEvent} />;
  if (kind === 'flag')
    return (
      <Checkbox
        label={label}
        description={help}
        checked={value !== ''}
        onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
      />
    );
  if (kind === 'lines' || kind === 'json')
    return (
      <Textarea
        {...shared}
        {...(kind === 'json' && { className: 'code', spellCheck: false })}
        rows={kind === 'json' ? rowsOf(value) : 4}
        maxLength={maxLength}
        value={value}
        onChange={onEvent}
      />
    );
  const list = choices && `choices-${field.name}`;
  return (
    <>
      <TextInput {...shared} type={kind} min={min} maxLength={maxLength} list={list} value={value} onChange={onEvent} />
      <datalist id={list}>
        {choices?.map((choice) => (
          <option key={choice.value} {...choice} />
        ))}
      </datalist>
    </>
  );
}
