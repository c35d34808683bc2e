/**
 * Who connects to whom, as docs/architecture.md and the services' READMEs document. Repeated here, so that the charts'
 * policies are compared with an independent list.
 */
interface Program {
  /** Services whose API it calls. */
  calls: readonly string[];
  uses: readonly Backend[];
}

type Backend = keyof typeof BACKEND_PORTS;

const API = 8080;
const ADMIN = 9090;
const DNS = 53;
/** Allowed in addition once peers are named, as on OpenShift. */
export const OTHER_DNS = 5353;
const HTTPS = 443;

/** Default ports of backends. */
const BACKEND_PORTS = { mongodb: [27_017], redis: [6_379], s3: [HTTPS, 9_000] };
/** Ports of the development backends. */
const LISTENERS: Record<string, readonly number[]> = { mongodb: [27_017], redis: [6_379], s3: [9_000] };

const stateful = ['mongodb', 'redis'] as const;
const withFiles = [...stateful, 's3'] as const;
/** Public keys and tokens, and grants. */
const access = ['passportsvc', 'objectmodelsvc'];
const steps = [...access, 'graphicssvc', 'filesvc', 'itemsvc'];

export const PROGRAMS: Readonly<Record<string, Program>> = {
  passportsvc: { calls: [...access, 'itemsvc', 'filesvc'], uses: stateful },
  'passportsvc-worker': { calls: [], uses: stateful },
  'passportsvc-migrate': { calls: [], uses: ['mongodb'] },
  objectmodelsvc: { calls: ['passportsvc'], uses: stateful },
  'objectmodelsvc-migrate': { calls: [], uses: ['mongodb'] },
  filesvc: { calls: access, uses: withFiles },
  'filesvc-worker': { calls: [], uses: withFiles },
  'filesvc-migrate': { calls: [], uses: ['mongodb', 's3'] },
  graphicssvc: { calls: [...access, 'filesvc'], uses: withFiles },
  'graphicssvc-worker': { calls: [...access, 'filesvc'], uses: withFiles },
  'graphicssvc-migrate': { calls: [], uses: ['mongodb', 's3'] },
  itemsvc: { calls: [...access, 'filesvc'], uses: stateful },
  'itemsvc-worker': { calls: [], uses: stateful },
  'itemsvc-migrate': { calls: [], uses: ['mongodb'] },
  datasourcesvc: { calls: steps, uses: stateful },
  'datasourcesvc-worker': { calls: steps, uses: stateful },
  'datasourcesvc-migrate': { calls: [], uses: ['mongodb'] },
  metricsvc: { calls: access, uses: stateful },
  'metricsvc-worker': { calls: ['passportsvc', 'filesvc', 'itemsvc'], uses: stateful },
  'metricsvc-migrate': { calls: [], uses: ['mongodb'] },
  site: { calls: [], uses: [] },
};

/** Programs of dev-backends, whose policies name their peers. */
const HELPERS: Readonly<Record<string, Pick<Program, 'uses'>>> = {
  gateway: { uses: ['s3'] },
  'mongodb-replica-set': { uses: ['mongodb'] },
};

export const APIS = Object.keys(PROGRAMS).filter((name) => !name.includes('-'));
export const WORKERS = Object.keys(PROGRAMS).filter((name) => name.endsWith('-worker'));

/**
 * Programs that call public addresses: passportsvc's worker calls SCIM servers. Steps of `call_url` may call no host by
 * default.
 */
const CALLS_INTERNET = ['passportsvc-worker'];
const SERVERS_WITHOUT_EGRESS = Object.keys(LISTENERS);
const GATEWAY_PORTS = [API, 9_000];

/** Pods that no policy of the platform selects, and what they represent. */
export const STRANGERS = {
  /** A pod without labels in the platform's namespace. */
  unlabelled: 'unlabelled',
  /** Without labels in another namespace. */
  elsewhere: 'elsewhere',
  /** In another namespace, with the labels of the service that calls most others. */
  impostor: 'impostor',
  /** In another namespace; peers in `ingressControllers` and `monitoring`, once they are named. */
  ingress: 'ingress',
  monitoring: 'monitoring',
} as const;

/** Addresses outside the cluster, or of the node. */
export const ADDRESSES = { metadata: 'metadata', node: 'node', public: 'public' } as const;

export interface Flow {
  source: string;
  target: string;
  port: number;
}

const isIn = (names: object, name: string): boolean => Object.values(names).includes(name);
export const isStranger = (name: string): boolean => isIn(STRANGERS, name);

/**
 * Whether a flow must pass.
 * @param peers `default`, or `named`: the backends, ingress controllers and monitoring are named as production would
 */
export function isListed({ source, target, port }: Flow, peers: 'default' | 'named'): boolean {
  const isNamed = peers === 'named';
  if (target in PROGRAMS) return entersProgram(source, target, port, isNamed);
  if (target in LISTENERS)
    return LISTENERS[target]!.includes(port) && backendsOf(source).some((name) => name === target);
  if (target === 'gateway')
    return GATEWAY_PORTS.includes(port) && (isStranger(source) || (!isNamed && mayUse(source, port)));
  return (isStranger(target) || isIn(ADDRESSES, target)) && reaches(source, target, port, isNamed);
}

function entersProgram(source: string, target: string, port: number, isNamed: boolean): boolean {
  if (port === ADMIN)
    return isNamed && source === STRANGERS.monitoring && (APIS.includes(target) || WORKERS.includes(target));
  if (port !== API || !APIS.includes(target)) return false;
  return servicesOf(source).includes(target) || (isNamed && source === STRANGERS.ingress);
}

/** Everything but the servers with data resolves names. */
export const resolvesNames = (source: string): boolean => !SERVERS_WITHOUT_EGRESS.includes(source);

/** What is not a part of the platform: name servers may be anywhere, backends anywhere but at link-local addresses. */
function reaches(source: string, target: string, port: number, isNamed: boolean): boolean {
  if (port === DNS || (isNamed && port === OTHER_DNS)) return resolvesNames(source);
  if (target === ADDRESSES.public && port === HTTPS && CALLS_INTERNET.includes(source)) return true;
  return !isNamed && target !== ADDRESSES.metadata && mayUse(source, port);
}

/** Whether the source may expect one of its backends on the port, wherever that is. */
const mayUse = (source: string, port: number): boolean =>
  (PROGRAMS[source]?.uses ?? []).some((name) => (BACKEND_PORTS[name] as readonly number[]).includes(port));

function servicesOf(source: string): readonly string[] {
  if (source === 'gateway') return APIS;
  if (source === 'passportsvc-sign-in') return APIS.filter((name) => name !== 'site');
  if (source.endsWith('-test')) return [source.slice(0, -'-test'.length)];
  return PROGRAMS[source]?.calls ?? [];
}

const backendsOf = (source: string): readonly Backend[] => (PROGRAMS[source] ?? HELPERS[source])?.uses ?? [];
