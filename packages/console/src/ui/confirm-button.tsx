import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../messages/text';
import { Dialog } from './dialog';
import { Failure } from './states';

interface ConfirmProps {
  /** Defaults to "Delete". */
  label?: string;
  /** What the user has to type first, for what destroys a lot. */
  typed?: string;
  /** What the row of a button in a table is about. */
  row?: string | number;
  /** What is lost, named in full. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
}

/** A button for what cannot be undone: it asks first, and says what is lost. */
export function ConfirmButton({ label, typed = '', row, children, onConfirm }: ConfirmProps) {
  const { text } = useText();
  const [isOpen, { open, close }] = useDisclosure();
  const [answer, setAnswer] = useState('');
  const confirmation = useMutation({ mutationFn: onConfirm, onSuccess: close });
  const title = label ?? text('form.delete');
  const start = () => {
    confirmation.reset();
    setAnswer('');
    open();
  };
  return (
    <>
      <Button variant="default" {...(row !== undefined && inRow(title, row))} onClick={start}>
        {title}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={title}>
        <Stack>
          <div>{children}</div>
          {typed !== '' && (
            <TextInput
              label={text('form.typed', { name: typed })}
              value={answer}
              onChange={(event) => setAnswer(event.currentTarget.value)}
            />
          )}
          {confirmation.error && <Failure error={confirmation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {text('form.cancel')}
            </Button>
            <Button
              color="red.9"
              disabled={answer !== typed}
              loading={confirmation.isPending}
              onClick={() => confirmation.mutate()}
            >
              {title}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

/** The properties of a button in the row of a table. */
export const inRow = (label: string, row: string | number) => ({
  ...{ size: 'compact-sm', variant: 'default', 'aria-label': `${label}: ${row}` },
});
