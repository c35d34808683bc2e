import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { TestRun } from '../test-run.js';
import { RELEASE } from '../tools/helm.js';

interface KubernetesObject {
  kind: string;
  metadata: { name: string; managedFields?: unknown; resourceVersion?: string };
  spec?: { nodeName?: string };
  status?: unknown;
}

/** By kind and name. */
type Objects = Map<string, object>;

/**
 * Applies every rendered object on the server, as Argo CD and Flux do, twice: this changes no field of what Helm
 * installed, nor, the second time, of the hooks.
 */
export async function apply(run: TestRun): Promise<void> {
  const file = await render(run);
  const options = ['--server-side', '--force-conflicts', '--field-manager=gitops', '--filename', file];
  const installed = await read(run, file);
  let first: Objects = new Map();
  try {
    await run.kubectl.run('apply', ...options);
    first = await read(run, file);
    expectSame(installed, first, 'the first apply');
    await run.kubectl.run('apply', ...options);
    expectSame(first, await read(run, file), 'the second apply');
  } finally {
    const created = [...first.keys()].filter((key) => !installed.has(key));
    if (created.length > 0) await run.uninterrupted.run('delete', ...created, '--wait', '--timeout=120s');
  }
  run.report.ready('apply', `${first.size} objects, ${installed.size} of them installed: no field changed`);
}

/** The objects of the release and its hooks, which are migrations and tests. */
async function render({ helm, stateDir }: TestRun): Promise<string> {
  const [manifest, hooks] = [await helm.run('get', 'manifest', RELEASE), await helm.run('get', 'hooks', RELEASE)];
  const file = path.join(stateDir, 'rendered.yaml');
  await writeFile(file, `${manifest}\n---\n${hooks}`, { mode: 0o600 });
  return file;
}

/** The objects of the file that exist, without what the API server, the scheduler and controllers record. */
async function read({ kubectl }: TestRun, file: string): Promise<Objects> {
  const output = await kubectl.run('get', '--filename', file, '--ignore-not-found', '--output=json');
  const { items } = JSON.parse(output) as { items: KubernetesObject[] };
  return new Map(items.map((object) => [`${object.kind}/${object.metadata.name}`, withoutState(object)]));
}

function withoutState({ status: _status, metadata, spec, ...rest }: KubernetesObject): object {
  const { managedFields: _fields, resourceVersion: _version, ...described } = metadata;
  const { nodeName: _node, ...wanted } = spec ?? {};
  return { ...rest, metadata: described, spec: wanted };
}

function expectSame(before: Objects, after: Objects, what: string): void {
  const changed = [...before].filter(([key, object]) => !isDeepStrictEqual(object, after.get(key)));
  const shown = changed.map(([key, object]) => [key, object, after.get(key)].map((part) => JSON.stringify(part)));
  if (changed.length > 0) throw new Error(`${what} changed objects:\n${shown.map((lines) => lines.join('\n')).join()}`);
}
