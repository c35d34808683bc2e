import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CannotRender, PREVIEW_SIZES } from './preview.js';
import type { Rendered } from './preview.js';
import type { RenderOptions } from './render-images.js';
import type { SourceType } from './source-type.js';

export interface RendererOptions {
  maxPixels: number;
  /** A process that takes longer is killed. */
  timeoutMs: number;
  /** A process that uses more memory is killed (on Linux). */
  memoryBytes: number;
  program?: string[];
}

const MIB = 1024 ** 2;
const HEAP_MIB = 128;
const MAX_OUTPUT_LENGTH = 1000;
const CHECK_MEMORY_EVERY_MS = 50;
const PROGRAM = [fileURLToPath(new URL('./render-process.js', import.meta.url))];

type Outcome = { images: Rendered[] } | { reason: string };

/**
 * Renders each file in a separate process, without environment or credentials: native decoders of hostile content may
 * crash, hang or exhaust memory, and only a process can be killed safely.
 */
export function createRenderer({ maxPixels, timeoutMs, memoryBytes, program = PROGRAM }: RendererOptions) {
  function start(options: RenderOptions): ChildProcess {
    return spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, ...program, JSON.stringify(options)], {
      // Keeps intermediate images in memory, where they count, rather than on disk.
      env: { VIPS_DISC_THRESHOLD: String(memoryBytes * 2) },
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
  }

  return {
    /**
     * @returns one image for each of `PREVIEW_SIZES`
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
          if (bytes > memoryBytes) kill(`Rendering used more than ${Math.round(memoryBytes / MIB)} MiB of memory.`);
        });
      }, CHECK_MEMORY_EVERY_MS);
      try {
        // The process may end before it has read everything.
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

/** Resolves with the outcome of the process. Rejects when it did not start, which is not the content's fault. */
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

/** Resident memory in bytes; 0 where unknown. */
async function memoryOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
