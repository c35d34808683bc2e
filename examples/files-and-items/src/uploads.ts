import { ApiError, upload } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { copy, find, write } from './dom.js';
import { attempt, explain, isAbort } from './problems.js';
import { unfinishedUpload } from './unfinished-upload.js';

export interface Target {
  client: Client;
  namespace: string;
  /** The id of the folder. Defaults to the root. */
  folder?: string;
  onDone: () => void;
}

/** Uploads run one by one. */
let last: Promise<unknown> = Promise.resolve();

/** Uploads a file. The user can pause and resume it, even after closing the page, by choosing the same file again. */
export function addUpload(file: File, { client, namespace, folder, onDone }: Target): void {
  const unfinished = unfinishedUpload(file, folder ?? namespace);
  const row = copy('#upload');
  const bar = find('progress', HTMLProgressElement, row);
  const [pause, resume, cancel] = ['.pause', '.resume', '.cancel'].map((name) => find(name, HTMLButtonElement, row));
  let stop = new AbortController();

  function show(state: string, isRunning: boolean): void {
    write(row, { '.state': state });
    pause!.hidden = !isRunning;
    resume!.hidden = isRunning;
  }

  function enqueue(): void {
    stop = new AbortController();
    const { signal } = stop;
    show('Waiting', true);
    last = last.then(() => run(signal));
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    show('Uploading', true);
    try {
      await upload(client, {
        ...{ name: file.name, content: file, parents: folder === undefined ? undefined : [folder], signal },
        resume: unfinished.id(),
        onStart: unfinished.begin,
        onProgress: ({ sentBytes, totalBytes }) => showProgress(totalBytes === 0 ? 1 : sentBytes / totalBytes),
      });
      unfinished.end();
      row.remove();
      write(document, { '#uploaded': `${file.name} is uploaded.` });
      onDone();
    } catch (error) {
      // A rejected upload cannot be resumed, only started again.
      if (error instanceof ApiError) unfinished.end();
      show(isAbort(error) ? 'Paused' : explain(error), false);
    }
  }

  function showProgress(part: number): void {
    bar.value = part;
    write(row, { '.percent': `${Math.floor(part * 100)} %` });
  }

  async function end(): Promise<void> {
    stop.abort();
    row.remove();
    const id = unfinished.id();
    unfinished.end();
    if (id === undefined) return;
    await client.call('filesvc.uploads.cancel', { path: { id }, query: { uploadType: 'resumable' } });
  }

  write(row, { '.name': file.name });
  bar.ariaLabel = `Upload of ${file.name}`;
  pause!.onclick = () => {
    stop.abort();
    show('Paused', false);
  };
  resume!.onclick = enqueue;
  cancel!.onclick = () => void attempt(end);
  find('#uploads', HTMLElement).append(row);
  enqueue();
}
