import { ApiError, upload } from '@dtplatform/sdk';
import { useSyncExternalStore } from 'react';
import { client } from '../frame';

/** A file on its way to the platform. */
export interface Transfer {
  key: string;
  namespace: string;
  /** Empty for the root. */
  folder: string;
  name: string;
  size: number;
  lastModified: number;
  /** The id of the file on the platform, as soon as it has one. */
  fileId?: string;
  state: 'waiting' | 'running' | 'paused' | 'interrupted' | 'refused' | 'done';
  sentBytes: number;
  error?: Error;
}

const AT_ONCE = 3;
const STORED = 'console:uploads';
const HAS_ENDED: ReadonlySet<Transfer['state']> = new Set(['refused', 'done']);
/** Statuses that a retry can resolve: an ended session, an expired upload, a timeout, a limit of calls. */
const TEMPORARY = [401, 404, 408, 429];

/** What the user has chosen. It is lost when the page is loaded again: then the user chooses it again. */
const contents = new Map<string, File>();
const running = new Map<string, { stop: AbortController; ended: Promise<void> }>();
const listeners = new Set<() => void>();
let transfers: Transfer[] = restore();

function restore(): Transfer[] {
  const stored = JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as Transfer[];
  return stored.map((transfer) => ({ ...transfer, state: 'interrupted' }));
}

function store(): void {
  const unfinished = transfers.filter(({ state }) => !HAS_ENDED.has(state)).map(({ error: _, ...kept }) => kept);
  sessionStorage.setItem(STORED, JSON.stringify(unfinished));
}

function put(next: Transfer[]): void {
  transfers = next;
  for (const listener of listeners) listener();
}

const change = (key: string, values: Partial<Transfer>) => {
  put(transfers.map((transfer) => (transfer.key === key ? { ...transfer, ...values } : transfer)));
  if (values.state ?? values.fileId) store();
};

function startWaiting(): void {
  for (const transfer of transfers) {
    if (running.size >= AT_ONCE) return;
    if (transfer.state !== 'waiting') continue;
    const stop = new AbortController();
    running.set(transfer.key, { stop, ended: run(transfer, stop.signal) });
  }
}

async function run({ key, namespace, folder, name, size, fileId }: Transfer, signal: AbortSignal): Promise<void> {
  change(key, { state: 'running', error: undefined });
  try {
    await upload(client.in(namespace), {
      ...{ name, signal, content: contents.get(key)!, parents: folder === '' ? [] : [folder], resume: fileId },
      onStart: (id) => change(key, { fileId: id }),
      onProgress: ({ sentBytes }) => change(key, { sentBytes }),
    });
    contents.delete(key);
    change(key, { state: 'done', sentBytes: size });
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    // The platform removes uploads that nobody continues: the next attempt starts anew.
    const isGone = status === 404;
    const isRefused = status >= 400 && status < 500 && !TEMPORARY.includes(status);
    if (signal.aborted) change(key, { state: 'paused' });
    else
      change(key, {
        ...{ state: isRefused ? 'refused' : 'interrupted', error: error as Error },
        ...(isGone && { fileId: undefined }),
      });
  } finally {
    running.delete(key);
    startWaiting();
  }
}

/** Uploads files into a folder, a few at a time. It goes on while the user visits other pages of the console. */
export function addUploads(namespace: string, folder: string, files: File[]): void {
  const added = files.map((file): Transfer => {
    const { name, size, lastModified } = file;
    const key = crypto.randomUUID();
    contents.set(key, file);
    return { key, namespace, folder, name, size, lastModified, state: 'waiting', sentBytes: 0 };
  });
  put([...transfers, ...added]);
  store();
  startWaiting();
}

/** Stops an upload. What is stored is kept. */
export function pauseUpload(key: string): void {
  running.get(key)?.stop.abort();
  change(key, { state: 'paused' });
}

export const hasContent = ({ key }: Transfer) => contents.has(key);

/** Whether a file that the user has chosen again seems to be the one whose upload has begun. */
export const isSame = (transfer: Transfer, { name, size, lastModified }: File) =>
  transfer.name === name && transfer.size === size && transfer.lastModified === lastModified;

/** Continues an upload; after a reload of the page, with the file that the user has chosen again. */
export function resumeUpload(key: string, content?: File): void {
  if (content) contents.set(key, content);
  // A pause may still be ending.
  void Promise.resolve(running.get(key)?.ended).then(() => {
    change(key, { state: 'waiting', error: undefined });
    startWaiting();
  });
}

/** Ends an upload, and removes what is stored of it. */
export async function cancelUpload({ key, namespace, state }: Transfer): Promise<void> {
  const active = running.get(key);
  active?.stop.abort();
  await active?.ended;
  const fileId = transfers.find((transfer) => transfer.key === key)?.fileId;
  put(transfers.filter((transfer) => transfer.key !== key));
  contents.delete(key);
  store();
  if (fileId === undefined || state === 'done') return;
  const query = { uploadType: 'resumable' as const };
  await client.in(namespace).call('filesvc.uploads.cancel', { path: { id: fileId }, query });
}

export function removeDoneUploads(): void {
  put(transfers.filter(({ state }) => !HAS_ENDED.has(state)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The uploads into a namespace in this tab. */
export const useUploads = (namespace: string): Transfer[] =>
  useSyncExternalStore(subscribe, () => transfers).filter((transfer) => transfer.namespace === namespace);
