import { parseArgs } from 'node:util';

const PHASES = ['dev', 'debug'] as const;
export type SkaffoldPhase = (typeof PHASES)[number];

export interface SkaffoldOptions {
  phases: readonly SkaffoldPhase[];
  /** A registry with the same name for this machine and the nodes. */
  defaultRepo: string | undefined;
  local: boolean;
  namespace: string;
}

export const USAGE = `npm run test:skaffold -- [options] [PHASE…]

Runs Skaffold's loop with the profile buildah in a namespace of its own, on a copy of the repository. Phases, both by
default: ${PHASES.join(', ')}. Skipped, with a line for each program that is missing, where it cannot run. Ends after 40 minutes.

Needs a cluster, kubectl, skaffold (or SKAFFOLD), buildah, Go or HELM, and a registry.

  --default-repo NAME  registry that this machine and the cluster's nodes reach; without it, the program registry
                       (github.com/distribution/distribution/v3/cmd/registry) is started on this machine, which is
                       enough if the cluster's node is this machine
  --local              builds on base images made from packages, without an image registry, and so the backends
  --namespace NAME     (dtplatform-skaffold); must not exist`;

export function readSkaffoldOptions(argv: string[]): SkaffoldOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      'default-repo': { type: 'string' },
      local: { type: 'boolean', default: false },
      namespace: { type: 'string', default: 'dtplatform-skaffold' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const unknown = positionals.find((name) => !(PHASES as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`unknown phase "${unknown}"; the phases are ${PHASES.join(', ')}`);
  return {
    phases: positionals.length > 0 ? PHASES.filter((phase) => positionals.includes(phase)) : PHASES,
    defaultRepo: values['default-repo'],
    local: values.local,
    namespace: values.namespace,
  };
}
