import { parseArgs } from 'node:util';

const PHASES = ['install', 'helm-test', 'tour', 'e2e', 'upgrade', 'rollback', 'kill', 'outage', 'uninstall'] as const;
export type Phase = (typeof PHASES)[number];

export interface Options {
  phases: readonly Phase[];
  namespace: string;
  /** Name or address by which this machine reaches the cluster's node ports. */
  host: string | undefined;
  registry: string;
  local: boolean;
  /** Makes an image known to the cluster: a command that gets the archive's path as its last argument, or a push. */
  load: string | undefined;
  push: boolean;
  skipImages: boolean;
  stateDir: string;
}

export const USAGE = `npm run test:cluster -- [options] [PHASE…]

Installs the platform with its development backends into the cluster of the current KUBECONFIG, in a namespace of its
own, and tests it there. Phases, all by default: ${PHASES.join(', ')}.

  --local            images on base images from packages (a machine without an image registry)
  --load COMMAND     brings an image archive into the cluster, for example "kind load image-archive"
  --push             pushes images to --registry instead
  --registry NAME    first part of the images' names (localhost)
  --skip-images      the images are there already
  --host NAME        how node ports are reached (the address of the first node)
  --namespace NAME   (dtplatform-test)
  --state FOLDER     secrets, values and archives of the run (.dtplatform/cluster)`;

export function readOptions(argv: string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      local: { type: 'boolean', default: false },
      load: { type: 'string' },
      push: { type: 'boolean', default: false },
      registry: { type: 'string', default: 'localhost' },
      'skip-images': { type: 'boolean', default: false },
      host: { type: 'string' },
      namespace: { type: 'string', default: 'dtplatform-test' },
      state: { type: 'string', default: '.dtplatform/cluster' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const unknown = positionals.find((name) => !(PHASES as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`there is no phase "${unknown}"; there are ${PHASES.join(', ')}`);
  if (!values['skip-images'] && !values.push && values.load === undefined)
    throw new Error('say how images get into the cluster: --load COMMAND, --push, or --skip-images');
  return {
    phases: positionals.length > 0 ? PHASES.filter((phase) => positionals.includes(phase)) : PHASES,
    skipImages: values['skip-images'],
    stateDir: values.state,
    host: values.host,
    ...values,
  } as Options;
}
