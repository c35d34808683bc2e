import type { Kubectl } from '../tools/kubectl.js';

/** How the cluster rejects a forbidden connection. Most network plugins drop its packets. */
export type Rejection = 'dropped' | 'rejected';

/** `connected`, `timeout`, or the code of an error, such as `ECONNREFUSED`. */
export type Outcome = string;

export interface Probe {
  outcomes: Outcome[];
  resolved: boolean;
}

/** Connects to all targets concurrently. The images have Node.js, but no shell. */
const PROGRAM = `
const net = require('node:net');
const { targets, name, timeoutMs } = JSON.parse(process.argv[1]);
const connect = ([host, port]) =>
  new Promise((done) => {
    const socket = net.connect({ host, port });
    const end = (outcome) => {
      socket.destroy();
      done(outcome);
    };
    socket.setTimeout(timeoutMs, () => end('timeout'));
    socket.once('connect', () => end('connected')).once('error', ({ code }) => end(code));
  });
const resolve = () =>
  new Promise((done) => {
    setTimeout(done, timeoutMs, false);
    require('node:dns').lookup(name, (error) => done(!error));
  });
(async () => {
  const [resolved, ...outcomes] = await Promise.all([resolve(), ...targets.map(connect)]);
  process.stdout.write(JSON.stringify({ resolved, outcomes }), () => process.exit());
})();
`;

export interface ProbeRequest {
  targets: (readonly [address: string, port: number])[];
  /** A name that only the cluster's DNS resolves. */
  name: string;
  timeoutMs: number;
}

/** Connects from inside a pod. */
export async function probeFrom(kubectl: Kubectl, pod: string, request: ProbeRequest): Promise<Probe> {
  const output = await kubectl.run('exec', pod, '--', 'node', '--eval', PROGRAM, JSON.stringify(request));
  return JSON.parse(output.split('\n').at(-1)!) as Probe;
}

/**
 * Whether the policies let a connection pass. If the cluster drops forbidden packets, a refused connection comes from
 * the target: nothing listens there, but the packets arrived.
 */
export function hasPassed(outcome: Outcome, rejection: Rejection): boolean {
  return outcome === 'connected' || (rejection === 'dropped' && outcome === 'ECONNREFUSED');
}
