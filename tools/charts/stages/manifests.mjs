import { kindsOfOthers, versions } from '../kubernetes.mjs';

/** Checks each rendered example against the schemas of each Kubernetes version; unknown fields are errors. */
export async function manifests({ rendered, python }) {
  const run = await python();
  const all = await rendered();
  const files = all.flatMap(({ file }) => file ?? []);
  if (files.length === 0) return [];
  const order = { versions, kindsOfOthers, files };
  const { code, stdout, output } = await run('manifests.py', JSON.stringify(order));
  if (code !== 0) return [{ name: 'manifests.py', problem: output }];
  const problems = JSON.parse(stdout);
  return all.flatMap(({ name, file, problem }) =>
    versions.map((version) => ({
      name: `${name} on Kubernetes ${version}`,
      problem: problem ?? (problems[file][version].join('\n') || undefined),
    })),
  );
}
