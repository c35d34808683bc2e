import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CannotRender, PREVIEW_SIZES } from './preview.js';
import type { Rendered } from './preview.js';
import type { RenderOptions } from './render-images.js';
import type { SourceType } from './source-type.js';

export interface RendererOptions {
  /** Larger images are rejected. */
  maxPixels: number;
  /** A process that takes longer is killed. */
  timeoutMs: number;
  /** A process that uses more memory is killed (on Linux). */
  memoryBytes: number;
  /** Arguments of Node.js that start `render-process`. */
  program?: string[];
}

const MIB = 1024 ** 2;
const HEAP_MIB = 128;
const MAX_OUTPUT_LENGTH = 1000;
const CHECK_MEMORY_EVERY_MS = 50;
const PROGRAM = [fileURLToPath(new URL('./render-process.js', import.meta.url))];

type Outcome = { images: Rendered[] } | { reason: string };

/**
 * Renders each file in a process of its own: native decoders of hostile content may crash, hang or need any amount of memory,
 * and only a process can be ended then without harm to others. It gets the content and nothing else: no environment, no
 * credentials.
 */
export function createRenderer({ maxPixels, timeoutMs, memoryBytes, program = PROGRAM }: RendererOptions) {
  function start(options: RenderOptions): ChildProcess {
    return spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, ...program, JSON.stringify(options)], {
      // Intermediate images stay in memory, where they are counted, and out of the file system.
      env: { VIPS_DISC_THRESHOLD: String(memoryBytes * 2) },
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
  }

  return {
    /**
     * Makes one image for each of `PREVIEW_SIZES`, in that order, in a process of its own.
     * @throws CannotRender
     */
    async render(content: Buffer, type: SourceType, signal: AbortSignal): Promise<Rendered[]> {
      signal.throwIfAborted();
      const child = start({ type, sizes: PREVIEW_SIZES, maxPixels });
      const ended = endOf(child);
      let why: string | undefined;
      const kill = (reason?: string) => {
        why ??= reason;
        child.kill('SIGKILL');
      };
      const onAbort = () => kill();
      signal.addEventListener('abort', onAbort);
      const timeout = setTimeout(() => kill(`Rendering took longer than ${timeoutMs} ms.`), timeoutMs);
      const memory = setInterval(() => {
        void memoryOf(child).then((bytes) => {
          if (bytes > memoryBytes) kill(`Rendering needed more than ${Math.round(memoryBytes / MIB)} MiB of memory.`);
        });
      }, CHECK_MEMORY_EVERY_MS);
      try {
        // A process that ended early does not read the rest.
        child.stdin!.on('error', () => undefined).end(content);
        const outcome = await ended.finally(() => signal.throwIfAborted());
        if ('images' in outcome) return outcome.images;
        throw new CannotRender(why ?? outcome.reason);
      } finally {
        clearTimeout(timeout);
        clearInterval(memory);
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

export type Renderer = ReturnType<typeof createRenderer>;

/** What a process sends before it ends. Rejects when it did not start, which is not the fault of the content. */
function endOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let outcome: Outcome | undefined;
    let isStarted = false;
    let output = '';
    child.on('message', (message) => {
      if (message === 'started') isStarted = true;
      else outcome = message as Outcome;
    });
    child.stderr!.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-MAX_OUTPUT_LENGTH)));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const end = signal ?? `code ${code}`;
      if (isStarted) resolve(outcome ?? { reason: `Rendering ended with ${end}.` });
      else reject(new Error(`The renderer did not start: it ended with ${end}. ${output}`));
    });
  });
}

/** The memory that a process holds, in bytes; 0 where the system does not tell. */
async function memoryOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
