import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServiceEntry, type Report, SERVICES, type Stack, startStack } from '@dtplatform/stack';
import { clientCredentials, createCaller, signIn } from '@dtplatform/stack/client';

const MEASURED = ['passportsvc', 'objectmodelsvc', 'filesvc', 'itemsvc', 'metricsvc', 'graphicssvc', 'datasourcesvc'];

/** itemsvc without authentication, as a reference; see its program. */
const OPEN_ITEMSVC: ServiceEntry = {
  name: 'openitemsvc',
  prefixes: ['/openitemsvc'],
  openApi: '/openitemsvc/openapi.json',
  programs: fileURLToPath(new URL('references/open-itemsvc', import.meta.url)),
};

/** itemsvc without messages about usage, as a reference; see its program. */
const UNCOUNTED_ITEMSVC: ServiceEntry = {
  name: 'uncounteditemsvc',
  prefixes: ['/uncounteditemsvc'],
  openApi: '/uncounteditemsvc/openapi.json',
  programs: fileURLToPath(new URL('references/uncounted-itemsvc', import.meta.url)),
};

/** The platform that is measured, with a user who owns a namespace. */
export interface Bench {
  stack: Stack;
  /** A service itself, because the references have no gateway in front of them. */
  serviceOf: (service: string) => { url: string; pid: number };
  /** The user's access token. */
  token: string;
  user: { email: string; password: string };
  namespace: string;
  /** Logs, and what programs that a row starts leave behind. */
  stateDir: string;
  /** Has this done before the bench stops. */
  atEnd: (work: () => Promise<void>) => void;
  stop: () => Promise<void>;
}

/** Starts the measured services as in production, with their own backends and data. */
export async function startBench(report: Report): Promise<Bench> {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-bench-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const services = [...SERVICES.filter(({ name }) => MEASURED.includes(name)), OPEN_ITEMSVC, UNCOUNTED_ITEMSVC];
  const stack = await startStack({ stateDir, report, env, services });
  // What it does with messages would be measured with the service that sends them.
  await stack.services.find(({ name }) => name === 'metricsvc-worker')?.stop();
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(ends.map((end) => end()));
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
  try {
    const serviceOf = (service: string) => {
      const { url, pid } = stack.services.find(({ name }) => name === service)!;
      return { url: url!, pid };
    };
    return {
      ...{ stack, serviceOf, stateDir, stop, ...(await openWorkspace(stack)) },
      atEnd: (work) => void ends.push(work),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openWorkspace({ baseUrl, dev }: Stack): Promise<Pick<Bench, 'token' | 'user' | 'namespace'>> {
  const { access_token: appToken } = await clientCredentials(dev);
  const user = { email: 'bench@example.com', password: randomBytes(18).toString('base64url') };
  await createCaller({ baseUrl, token: appToken }).call('POST', '/passportsvc/api/v1/scim/Users', {
    json: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: user.email,
      password: user.password,
      emails: [{ value: user.email, type: 'work', primary: true }],
      active: true,
    },
    expect: 201,
  });
  const { access_token: token } = await signIn(dev, user);
  const { body } = await createCaller({ baseUrl, token }).call<{ _list: { _namespaces: string[] }[] }>(
    'POST',
    '/passportsvc/api/v1/workspaces',
    { json: [{ _name: 'Bench', _shortName: 'bench' }], expect: 201 },
  );
  return { token, user, namespace: body._list[0]!._namespaces[0]! };
}
