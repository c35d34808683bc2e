import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { ApiError, NetworkError } from '@dtplatform/sdk';
import type { ReactNode } from 'react';
import { useText } from '../messages/text';

export function Loading() {
  const { text } = useText();
  return (
    <Group role="status" p="md">
      <Loader size="sm" aria-hidden />
      <Text>{text('state.loading')}</Text>
    </Group>
  );
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const { text } = useText();
  const id = error instanceof ApiError ? error.requestId : undefined;
  const isForbidden = error instanceof ApiError && error.status === 403;
  const general = error instanceof NetworkError ? text('state.unreachable') : isForbidden && text('state.forbidden');
  return (
    <Alert color="red" role="alert" title={general || error.message}>
      <Stack align="flex-start">
        {isForbidden && <Text size="sm">{error.message}</Text>}
        {id && <Text size="sm">{text('state.requestId', { id })}</Text>}
        {retry && (
          <Button variant="default" onClick={retry}>
            {text('state.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

interface Read {
  error: Error | null;
  refetch: () => Promise<unknown>;
}

/** Stands for what has not been read yet. What has been read stays on the page if a refresh fails. */
export function Pending({ of: reads }: { of: Read[] }) {
  const error = reads.find((read) => read.error)?.error;
  return error ? <Failure error={error} retry={() => reads.forEach((read) => void read.refetch())} /> : <Loading />;
}

/** What to do where there is nothing yet. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" p="xl">
      <Text>{children}</Text>
      {action}
    </Stack>
  );
}
