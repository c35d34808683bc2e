import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServiceEntry, type Report, SERVICES, type Stack, startStack } from '@dtplatform/stack';
import { createLoadUser, type LoadUser } from './callers/index.js';
import { startServer } from './child.js';

const MEASURED = ['passportsvc', 'objectmodelsvc', 'filesvc', 'itemsvc', 'metricsvc', 'graphicssvc', 'datasourcesvc'];

/** Variants of itemsvc as references; see their programs. */
const VARIANTS = ['open', 'uncounted'].map((kind): ServiceEntry => ({
  name: `${kind}itemsvc`,
  prefixes: [`/${kind}itemsvc`],
  openApi: `/${kind}itemsvc/openapi.json`,
  programs: fileURLToPath(new URL(`references/${kind}-itemsvc`, import.meta.url)),
}));

/** The measured platform, with a user who owns a namespace. */
export interface Bench {
  stack: Stack;
  /** Direct access to a service, because the references have no gateway in front of them. */
  serviceOf: (service: string) => { url: string; pid: number };
  /** The user's access token. */
  token: string;
  user: Pick<LoadUser, 'id' | 'credentials'>;
  namespace: string;
  /** For logs and for files of programs that a row starts. */
  stateDir: string;
  /** Starts a reference, which stops after the row. */
  serve: typeof startServer;
  /** Runs the work after the row. */
  afterRow: (work: () => Promise<void>) => void;
  endRow: () => Promise<void>;
  /** Runs the work before the bench stops. */
  atEnd: (work: () => Promise<void>) => void;
  stop: () => Promise<void>;
}

/** Starts the measured services as in production, with separate backends and data. */
export async function startBench(report: Report): Promise<Bench> {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-bench-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const services = [...SERVICES.filter(({ name }) => MEASURED.includes(name)), ...VARIANTS];
  const stack = await startStack({ stateDir, report, env, services });
  // Its message processing would be attributed to the service that sends them.
  await stack.services.find(({ name }) => name === 'metricsvc-worker')?.stop();
  const ends: (() => Promise<void>)[] = [];
  const rowEnds: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(ends.map((end) => end()));
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
  try {
    const { caller, namespace, ...user } = await createLoadUser(stack.dev);
    const serviceOf = (service: string) => {
      const { url, pid } = stack.services.find(({ name }) => name === service)!;
      return { url: url!, pid };
    };
    return {
      ...{ stack, serviceOf, stateDir, stop, token: caller.token!, user, namespace },
      async serve(name, argument) {
        const server = await startServer(name, argument);
        rowEnds.push(server.stop);
        return server;
      },
      afterRow: (work) => void rowEnds.push(work),
      endRow: async () => void (await Promise.all(rowEnds.splice(0).map((end) => end()))),
      atEnd: (work) => void ends.push(work),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
