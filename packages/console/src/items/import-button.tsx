import { Button, FileInput, Group, Progress as Bar, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client, useNamespace, useText } from '../frame';
import { Dialog, Failure } from '../ui';
import { openSheet } from './csv';
import type { Sheet } from './csv';
import { importRows } from './import-rows';
import type { Progress } from './import-rows';
import { ImportMapping } from './import-mapping';
import { REQUIRED } from './model';
import type { Item } from './model';
import type { Place } from './use-fields';

/** More would be unusable to map. */
const MAX_COLUMNS = 300;

interface ImportProps {
  item: Item;
  place: Place;
}

/** A button that imports a spreadsheet. */
export function ImportButton(props: ImportProps) {
  const { text } = useText();
  const [isOpen, { open, close }] = useDisclosure();
  const running = useRef<AbortController>(null);
  return (
    <>
      <Button variant="default" onClick={open}>
        {text('import.open')}
      </Button>
      {/* Nothing but "Cancel" stops a running import. */}
      <Dialog isOpen={isOpen} onClose={() => !running.current && close()} title={text('import.open')} size="xl">
        <ImportForm {...props} running={running} onClose={close} />
      </Dialog>
    </>
  );
}

interface FormProps extends ImportProps {
  running: { current: AbortController | null };
  onClose: () => void;
}

function ImportForm({ item, place, running, onClose }: FormProps) {
  const { text } = useText();
  const caller = client.in(useNamespace()!);
  const queries = useQueryClient();
  const [sheet, setSheet] = useState<Sheet>();
  const [progress, setProgress] = useState<Progress>();
  const required = REQUIRED[item._itemClass];
  const opening = useMutation({
    async mutationFn(file: File) {
      const opened = await openSheet(file);
      const columns = opened.mappings.length;
      if (columns > MAX_COLUMNS) throw new Error(text('import.tooWide', { columns, max: MAX_COLUMNS }));
      if (opened.sample.length === 0) throw new Error(text('import.empty'));
      return opened;
    },
    onSuccess: setSheet,
  });
  const importing = useMutation({
    mutationFn: async (chosen: Sheet) => {
      running.current = new AbortController();
      const { signal } = running.current;
      await importRows(chosen, { client: caller, place, required, onProgress: setProgress, signal });
    },
    onSettled: () => {
      running.current = null;
      void queries.invalidateQueries();
    },
  });
  const isMissing = required !== undefined && !sheet?.mappings.some(({ field }) => field === required);
  if (!importing.isIdle)
    return <Running work={importing} progress={progress} cancel={() => running.current?.abort()} onClose={onClose} />;
  return (
    <Stack>
      <FileInput
        label={text('import.file')}
        description={text('import.help')}
        placeholder={text('import.choose')}
        accept=".csv,text/csv"
        onChange={(file) => file && opening.mutate(file)}
      />
      {opening.error && <Failure error={opening.error} />}
      {sheet && <ImportMapping sheet={sheet} onChange={(mappings) => setSheet({ ...sheet, mappings })} />}
      {sheet && isMissing && <Text c="var(--mantine-color-error)">{text('import.required', { field: required })}</Text>}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {text('form.cancel')}
        </Button>
        <Button disabled={!sheet || isMissing} onClick={() => importing.mutate(sheet!)}>
          {text('import.start')}
        </Button>
      </Group>
    </Stack>
  );
}

interface RunningProps {
  work: { isPending: boolean; isSuccess: boolean; error: Error | null };
  progress?: Progress;
  cancel: () => void;
  onClose: () => void;
}

function Running({ work, progress, cancel, onClose }: RunningProps) {
  const { text } = useText();
  const isCancelled = work.error?.name === 'AbortError';
  return (
    <Stack>
      {progress && <Result progress={progress} />}
      {work.isSuccess && <Text>{text('import.done')}</Text>}
      {isCancelled && <Text>{text('import.cancelled')}</Text>}
      {work.error && !isCancelled && <Failure error={work.error} />}
      <Group justify="flex-end">
        {work.isPending ? (
          <Button variant="default" onClick={cancel}>
            {text('import.cancel')}
          </Button>
        ) : (
          <Button onClick={onClose}>{text('form.close')}</Button>
        )}
      </Group>
    </Stack>
  );
}

function Result({ progress: { imported, failed, share, problems } }: { progress: Progress }) {
  const { text, number } = useText();
  return (
    <>
      <Bar value={share * 100} aria-label={text('import.progress')} />
      <Text role="status">{text('import.count', { imported: number(imported), failed: number(failed) })}</Text>
      {problems.length > 0 && (
        <>
          <Text>{text('import.problems', { count: problems.length })}</Text>
          <ul>
            {problems.map(({ row, cell, message }) => (
              <li key={row}>
                {text('import.row', { row })}{' '}
                {message ?? text(cell?.cell ? 'import.badCell' : 'import.noCell', { ...cell })}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
