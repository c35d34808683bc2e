import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImage } from '../context.js';
import { checkFlows, type Result } from '../policies/check-flows.js';
import { OTHER_DNS, STRANGERS } from '../policies/listed-flows.js';
import {
  ADDRESS_PORTS,
  findAddresses,
  findPlaces,
  startStrangers,
  type Place,
  type Places,
} from '../policies/places.js';
import { hasPassed, probeFrom, type Rejection } from '../policies/probe.js';
import { removeStandIns } from '../policies/stand-ins.js';
import type { TestRun } from '../test-run.js';
import { createKubectl, type Kubectl } from '../tools/kubectl.js';
import { upgradeWith } from '../deploy.js';

const TIMEOUT_MS = 3_000;
const TRIES = 10;
const SHOWN = 50;
const DENY = 'deny';

/**
 * Every flow in `policies/listed-flows.ts` passes and every other one is rejected: between all programs and backends,
 * from and to pods outside the platform, and to addresses outside the cluster. First with default values, then with
 * named backends, ingress controllers and monitoring as in production.
 */
export async function policies(run: TestRun): Promise<void> {
  const { kubectl, uninterrupted, options, env, signal } = run;
  const other = createKubectl(`${options.namespace}-other`, { env, signal });
  const image = nodeImage(options);
  await kubectl.run('create', 'namespace', `${options.namespace}-other`);
  try {
    const strangers = await startStrangers(run, other, image);
    const rejection = await findRejection(other, strangers);
    if (rejection === undefined) return void run.skip('policies', 'the cluster does not enforce NetworkPolicies');
    run.report.ready('policies', `the cluster enforces policies: what they forbid is ${rejection}`);
    const own = await findPlaces(run, image);
    const addresses = await answering(run, strangers[0]!, rejection);
    const places = { sources: [...own.sources, ...strangers], targets: [...own.targets, ...strangers, ...addresses] };
    await check(run, places, rejection, 'default');
    await withNamedPeers(run, () => check(run, places, rejection, 'named'));
  } finally {
    await removeStandIns(uninterrupted);
    await uninterrupted.run('delete', 'namespace', `${options.namespace}-other`, '--wait', '--timeout=120s');
  }
}

/** How the cluster rejects a flow that worked before it was forbidden. Undefined if it does not. */
async function findRejection(other: Kubectl, [source, target]: Place[]): Promise<Rejection | undefined> {
  const request = { targets: [[target!.address, 8080] as const], name: 'localhost', timeoutMs: TIMEOUT_MS };
  const outcome = async () => (await probeFrom(other, source!.pod!.name, request)).outcomes[0]!;
  const before = await outcome();
  if (before !== 'connected') throw new Error(`a flow that no policy forbids does not pass: ${before}`);
  const spec = { podSelector: {}, policyTypes: ['Ingress'] };
  await other.apply({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: DENY }, spec });
  try {
    for (let count = 0; count < TRIES; count += 1) {
      const now = await outcome();
      if (now !== 'connected') return now === 'timeout' || now === 'ETIMEDOUT' ? 'dropped' : 'rejected';
      await sleep(1_000);
    }
    return undefined;
  } finally {
    await other.run('delete', 'networkpolicy', DENY);
  }
}

/** The addresses outside the cluster with the ports that respond to a pod without policies. Others prove nothing. */
async function answering(run: TestRun, { pod }: Place, rejection: Rejection): Promise<Place[]> {
  const addresses = await findAddresses(run);
  const targets = addresses.flatMap(({ address }) => ADDRESS_PORTS.map((port) => [address, port] as const));
  const { outcomes } = await probeFrom(pod!.kubectl, pod!.name, { targets, name: 'localhost', timeoutMs: TIMEOUT_MS });
  const found = addresses.map((place, index) => {
    const answers = outcomes.slice(index * ADDRESS_PORTS.length, (index + 1) * ADDRESS_PORTS.length);
    return { ...place, listens: ADDRESS_PORTS.filter((_, port) => hasPassed(answers[port]!, rejection)) };
  });
  for (const { name, address } of found.filter(({ listens }) => listens.length === 0))
    run.skip(`policies: flows to ${name}`, `${address} answers no pod, so a refusal would prove nothing`);
  if (!run.options.publicAddress) run.skip('policies: flows to public', 'no --public-address is given');
  return found.filter(({ listens }) => listens.length > 0);
}

async function check(run: TestRun, places: Places, rejection: Rejection, peers: 'default' | 'named'): Promise<void> {
  const name = `passportsvc.${run.options.namespace}`;
  const { passed, refused, wrong }: Result = await checkFlows({ places, refusal: rejection, name, peers }, run.report);
  const shown = wrong.slice(0, SHOWN).join('\n  ');
  if (wrong.length > 0) throw new Error(`${wrong.length} flows are wrong with ${peers} peers:\n  ${shown}`);
  const count = `${places.sources.length} sources, ${passed + refused} flows: ${passed} passed, ${refused} were refused`;
  run.report.ready('policies', `${peers} peers: ${count}, as listed`);
}

/** Names the backends, external callers and another port of name servers, runs the work, and reverts that. */
async function withNamedPeers(run: TestRun, work: () => Promise<void>): Promise<void> {
  const pods = (labels: object) => [{ podSelector: { matchLabels: labels } }];
  const stranger = (name: string) => [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': `${run.options.namespace}-other` } },
      podSelector: { matchLabels: { 'dtplatform/stand-in': name } },
    },
  ];
  const networkPolicy = {
    dns: { ports: [53, OTHER_DNS] },
    ingressControllers: stranger(STRANGERS.ingress),
    monitoring: stranger(STRANGERS.monitoring),
    ...Object.fromEntries(
      ['mongodb', 'redis', 's3'].map((name) => [name, { to: pods({ 'app.kubernetes.io/name': name }) }]),
    ),
  };
  try {
    await upgradeWith(run, { values: { global: { networkPolicy } } });
    await work();
  } finally {
    await upgradeWith(run);
  }
}
