import { parseArgs } from 'node:util';

/** Phases that only measure, or that harm everything else on a node. */
const ON_REQUEST = ['sizing', 'node-memory'];

export interface Options {
  phases: readonly string[];
  namespace: string;
  /** Host name or address of the node ports for this machine. */
  host: string | undefined;
  registry: string;
  local: boolean;
  /** A command that loads an image into the cluster, called with the path of the archive. */
  load: string | undefined;
  push: boolean;
  skipImages: boolean;
  stateDir: string;
  nodePorts: NodePorts;
  /** A public address that responds to pods, for the phase `policies`. */
  publicAddress: string | undefined;
}

/** Node ports of the development backends for the platform and S3. */
export interface NodePorts {
  http: number;
  s3: number;
}

const byDefault = (phases: readonly string[]) => phases.filter((phase) => !ON_REQUEST.includes(phase));

export const usageOf = (phases: readonly string[]) => `npm run test:cluster -- [options] [PHASE…]

Installs the platform with its development backends into the cluster of the current KUBECONFIG, in its own namespace, and
tests it there. Phases, all by default: ${byDefault(phases).join(', ')}.
Only on request: sizing, which measures what docs/sizing.md is made of, and node-memory, which takes all memory of a node.
A phase that needs a controller which the cluster lacks is skipped, and listed as skipped at the end.

Needs kubectl, Docker or Buildah, and Go, with which it builds Helm. HELM names another Helm, IMAGE_BUILDER the builder.

  --local            builds the images on base images made from packages, without an image registry
  --load COMMAND     loads an image archive into the cluster, for example "kind load image-archive"
  --push             pushes the images to --registry instead
  --registry NAME    first part of the image names (localhost)
  --skip-images      the cluster has the images already
  --host NAME        host of the node ports (the address of the first node)
  --node-ports A,B   ports of the node for the platform and S3 (30080,30090)
  --public-address IP  a public address that answers pods, for the phase policies
  --namespace NAME   (dtplatform-test)
  --state FOLDER     secrets, values and archives of the run (.dtplatform/cluster)`;

/** @param phases all that there are, in order */
export function readOptions(argv: string[], phases: readonly string[]): Options | 'help' {
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
      'node-ports': { type: 'string', default: '30080,30090' },
      'public-address': { type: 'string' },
      namespace: { type: 'string', default: 'dtplatform-test' },
      state: { type: 'string', default: '.dtplatform/cluster' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const unknown = positionals.find((name) => !phases.includes(name));
  if (unknown !== undefined) throw new Error(`unknown phase "${unknown}"; the phases are ${phases.join(', ')}`);
  if (!values['skip-images'] && !values.push && values.load === undefined)
    throw new Error('choose how the cluster gets the images: --load COMMAND, --push or --skip-images');
  return {
    phases: positionals.length > 0 ? phases.filter((phase) => positionals.includes(phase)) : byDefault(phases),
    skipImages: values['skip-images'],
    stateDir: values.state,
    host: values.host,
    publicAddress: values['public-address'],
    nodePorts: readNodePorts(values['node-ports']),
    ...values,
  } as Options;
}

function readNodePorts(text: string): NodePorts {
  const [, http, s3] = /^(\d{1,5}),(\d{1,5})$/.exec(text) ?? [];
  if (http === undefined) throw new Error(`--node-ports ${text}: expected two ports, such as 30080,30090`);
  return { http: Number(http), s3: Number(s3) };
}
