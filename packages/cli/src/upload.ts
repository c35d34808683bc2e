import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '@dtplatform/sdk';
import type { Client, Schemas } from '@dtplatform/sdk';
import { uploadFromFile } from '@dtplatform/sdk/node';
import { readJson, removeJson, writeJson } from './config-folder.js';
import { UsageError } from './usage-error.js';
import { interruption } from './interruption.js';
import { createProgress } from './progress.js';

interface Target {
  folder?: string;
  tag?: string[];
}

/**
 * Uploads a file. Stores its id until it is complete, so that the same command resumes after an interruption or a
 * crash.
 */
export async function uploadWithResume(
  client: Client,
  file: string,
  { folder, tag }: Target,
): Promise<Schemas['File']> {
  const known = `uploads/${await keyOf(client, file, folder)}.json`;
  const resume = (await readJson<{ id: string }>(known))?.id;
  const progress = createProgress(path.basename(file));
  const send = (resume?: string) =>
    uploadFromFile(client, file, {
      ...{ resume, signal: interruption.signal, parents: folder === undefined ? undefined : [folder], tags: tag },
      onStart: (id) => {
        saving = writeJson(known, { id });
        // Handled at the end; until then a rejection must not end the process.
        saving.catch(() => undefined);
      },
      onProgress: ({ sentBytes, totalBytes }) => progress.update(sentBytes, totalBytes),
    });
  let saving = Promise.resolve();
  try {
    // It may have been completed or removed in the meantime.
    const stored = await send(resume).catch((error: unknown) => {
      if (resume !== undefined && error instanceof ApiError && isOver(error)) return send();
      throw error;
    });
    await saving;
    await removeJson(known);
    return stored;
  } finally {
    await saving.catch(() => undefined);
    progress.stop();
  }
}

/** Whether an upload can never be resumed. Missing permissions and rate limits are temporary. */
const isOver = ({ status }: ApiError) => status < 500 && ![401, 403, 408, 429].includes(status);

/** Identifies the same unchanged file with the same destination. */
async function keyOf({ baseUrl, namespace }: Client, file: string, folder?: string): Promise<string> {
  const state = await stat(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  });
  if (!state.isFile()) throw new UsageError(`${file} is not a file.`);
  const parts = [baseUrl, namespace, folder, path.resolve(file), state.size, state.mtimeMs];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
