import { Button, FileButton, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNamespace, useText } from '../frame';
import { cancelUpload, hasContent, isSame, pauseUpload, removeDoneUploads, resumeUpload, useUploads } from './uploads';
import type { Transfer } from './uploads';

const SETTLED_MS = 300;
const MAX_SHOWN = 100;

/** The uploads of this tab with their progress. */
export function UploadList() {
  const { text } = useText();
  const queries = useQueryClient();
  const uploads = useUploads(useNamespace()!);
  const done = uploads.filter(({ state }) => state === 'done').length;
  const [settled] = useDebouncedValue(done, SETTLED_MS);
  useEffect(() => {
    if (settled > 0) void queries.invalidateQueries();
  }, [settled, queries]);
  // Of many, those that matter.
  const shown = uploads.length > MAX_SHOWN ? uploads.filter(({ state }) => state !== 'done') : uploads;
  if (uploads.length === 0) return undefined;
  return (
    <section aria-label={text('uploads.title')}>
      <Group justify="space-between">
        <Title order={3} size="h5">
          {text('uploads.title')}
        </Title>
        <Text size="sm" role="status">
          {text('uploads.done', { done, count: uploads.length })}
        </Text>
        {done > 0 && (
          <Button size="compact-sm" variant="default" onClick={removeDoneUploads}>
            {text('uploads.clear')}
          </Button>
        )}
      </Group>
      <div className="output" role="group" tabIndex={0} aria-label={text('uploads.title')}>
        {shown.slice(0, MAX_SHOWN).map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </div>
    </section>
  );
}

function UploadRow({ upload }: { upload: Transfer }) {
  const { text, bytes } = useText();
  const { key, name, size, sentBytes, state, error } = upload;
  const percent = state === 'done' ? 100 : Math.floor((100 * sentBytes) / Math.max(1, size));
  return (
    <Stack gap={4} py={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}, {bytes(size)}: {text(state === 'done' ? 'files.complete' : `uploads.${state}`)}
          {state === 'running' && ` ${percent} %`}
        </Text>
        <Group gap={4}>
          <UploadActions upload={upload} />
        </Group>
      </Group>
      <Progress value={percent} aria-label={name} color={state === 'done' ? 'green' : undefined} />
      {error && (
        <Text key={key} size="sm" c="var(--mantine-color-error)" role="alert">
          {error.message}
        </Text>
      )}
    </Stack>
  );
}

function UploadActions({ upload }: { upload: Transfer }) {
  const { text } = useText();
  const [failure, setFailure] = useState('');
  const { key, name, state } = upload;
  if (state === 'done') return undefined;
  const button = { size: 'compact-sm' as const, variant: 'default' };
  const end = text(state === 'refused' ? 'form.remove' : 'form.cancel');
  const isStopped = state === 'paused' || state === 'interrupted';
  const continueWith = (file: File | null) => {
    if (!file) return;
    const isOther = !isSame(upload, file);
    setFailure(isOther ? text('uploads.otherFile') : '');
    if (!isOther) resumeUpload(key, file);
  };
  return (
    <>
      {failure && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {failure}
        </Text>
      )}
      {!isStopped && state !== 'refused' && (
        <Button {...button} aria-label={`${text('uploads.pause')}: ${name}`} onClick={() => pauseUpload(key)}>
          {text('uploads.pause')}
        </Button>
      )}
      {isStopped && hasContent(upload) && (
        <Button {...button} aria-label={`${text('uploads.resume')}: ${name}`} onClick={() => resumeUpload(key)}>
          {text('uploads.resume')}
        </Button>
      )}
      {isStopped && !hasContent(upload) && (
        <FileButton onChange={continueWith}>
          {(props) => (
            <Button {...props} {...button} aria-label={`${text('uploads.choose')}: ${name}`}>
              {text('uploads.choose')}
            </Button>
          )}
        </FileButton>
      )}
      <Button
        {...button}
        aria-label={`${end}: ${name}`}
        onClick={() => void cancelUpload(upload).catch((error: unknown) => setFailure((error as Error).message))}
      >
        {end}
      </Button>
    </>
  );
}
