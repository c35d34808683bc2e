import { createHash } from 'node:crypto';
import { findOnPath } from '../../processes/find-on-path.js';
import { runCommand } from '../../processes/run-command.js';
import { succeeds } from '../../processes/until.js';
import type { SourceContext } from '../types.js';
import { type AnyBackendSpec, type Launcher, type Source, Unavailable } from './source.js';
import { withHeartbeat } from '../../heartbeat.js';

const ENGINES = ['docker', 'podman'];
const DATA = '/data';
/** Passed on from our environment; unset ones are omitted. */
const SECRETS = ['ROOT_ACCESS_KEY', 'ROOT_SECRET_KEY', 'MINIO_ROOT_USER', 'MINIO_ROOT_PASSWORD'];

/** A container, if an engine responds and the image is available. */
export const fromContainer: Source = async (spec, context) => {
  const failures: string[] = [];
  for (const name of ENGINES) {
    const engine = findOnPath(name, context.env);
    try {
      if (engine === undefined) throw new Error('not found');
      const user = await userFlags(name, engine, context);
      await haveImage(engine, spec, context);
      return launcher({ name, engine, user }, spec, context);
    } catch (error) {
      context.signal.throwIfAborted();
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new Unavailable(failures.join('\n'));
};

interface Engine {
  name: string;
  engine: string;
  user: string[];
}

/**
 * Runs in the foreground, so that the container ends with our process. The port is the same inside and outside: a
 * replica set member must reach itself at the address that clients use.
 */
function launcher(
  { name, engine, user }: Engine,
  { image, programs }: AnyBackendSpec,
  { env }: SourceContext,
): Launcher {
  const [program] = programs;
  return {
    kind: 'container',
    description: `${name} image ${image}`,
    command: ({ port, dir }) => ({
      command: engine,
      args: [
        ...['run', '--rm', '--name', containerName(dir), ...user, '-p', `127.0.0.1:${port}:${port}`],
        ...['-v', `${dir}:${DATA}`, ...SECRETS.flatMap((name) => ['-e', name]), '--entrypoint', program.binary],
        ...[image, ...program.args({ host: '0.0.0.0', port, dir: DATA })],
      ],
    }),
    pause: async (dir, isPaused) => {
      await runCommand(engine, [isPaused ? 'pause' : 'unpause', containerName(dir)], { env });
    },
    cleanUp: async (dir) => {
      await runCommand(engine, ['rm', '-f', containerName(dir)], { env }).catch(() => undefined);
    },
  };
}

/** Derived from the data's path, to find a leftover container. */
const containerName = (dir: string) => `dtplatform-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`;

/** Makes the container run as the user who owns the data. Throws when the engine does not respond. */
async function userFlags(name: string, engine: string, { env, signal }: SourceContext): Promise<string[]> {
  const info = await runCommand(engine, ['info', '--format', 'json'], { env, signal, timeoutMs: 10_000 });
  if (name === 'podman') return process.getuid?.() === 0 ? ['--user', '0:0'] : ['--userns', 'keep-id'];
  // In rootless docker, root inside is the user outside.
  const owner = info.includes('name=rootless') ? '0:0' : `${process.getuid?.()}:${process.getgid?.()}`;
  return ['--user', owner];
}

async function haveImage(engine: string, { title, image }: AnyBackendSpec, { env, signal, report }: SourceContext) {
  if (await succeeds(runCommand(engine, ['image', 'inspect', image], { env, signal }))) return;
  await withHeartbeat(report, title, `pulling ${image}`, () => runCommand(engine, ['pull', image], { env, signal }));
}
