import { randomBytes } from 'node:crypto';
import type { TestRun } from '../test-run.js';
import { readFromPod } from '../tools/in-pod.js';

/** Name of the Kubernetes objects, and of the Redis user. */
export const READER = 'keda-redis';

const POD = 'deploy/datasourcesvc';
const CONNECT = `
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
const redis = new Redis(readFileSync(process.env.REDIS_URL_FILE, 'utf8').trim());
`;
const CREATE = `${CONNECT}
const rights = ['+ping', '+hello', '+select', '+eval', '+type', '+llen'];
await redis.acl('SETUSER', input.user, 'reset', 'on', '>' + input.password, '~{dtplatform.*}:*:wait', ...rights);
console.log(1);
redis.disconnect();
`;
const REMOVE = `${CONNECT}
console.log(await redis.acl('DELUSER', input.user));
redis.disconnect();
`;
/** Creates a Redis user that may only read the lengths of queues, and its password for KEDA. */
export async function createReader({ kubectl }: TestRun): Promise<void> {
  const password = randomBytes(24).toString('hex');
  await readFromPod(kubectl, POD, CREATE, { user: READER, password });
  const metadata = { name: READER };
  const parameter = (name: string) => ({ parameter: name, name: READER, key: name });
  await kubectl.apply(
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username: READER, password } },
    {
      ...{ apiVersion: 'keda.sh/v1alpha1', kind: 'TriggerAuthentication', metadata },
      spec: { secretTargetRef: [parameter('username'), parameter('password')] },
    },
  );
}

export async function removeReader({ kubectl }: TestRun): Promise<void> {
  await kubectl.run('delete', `triggerauthentication.keda.sh/${READER}`, `secret/${READER}`, '--ignore-not-found');
  await readFromPod(kubectl, POD, REMOVE, { user: READER });
}
