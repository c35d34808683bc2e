import { openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, signalGroup, spawnTethered, until } from '@dtplatform/stack';

export interface Registry {
  name: string;
  stop(): Promise<void>;
}

/** Starts the program `registry` for this machine only. Container runtimes connect to `localhost` without TLS. */
export async function startRegistry(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Registry> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-registry-'));
  const port = await freePort();
  const config = {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: folder } },
    http: { addr: `127.0.0.1:${port}` },
  };
  const file = path.join(folder, 'config.yml');
  await writeFile(file, JSON.stringify(config)); // JSON is YAML.
  const output = openSync(path.join(folder, 'log'), 'w');
  const child = spawnTethered('registry', ['serve', file], { env, output });
  const ended = once(child, 'exit');
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('the registry answers', answers, { timeoutMs: 20_000, signal });
  return {
    name: `localhost:${port}`,
    async stop() {
      signalGroup(child.pid, 'SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
