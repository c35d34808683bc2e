import { randomBytes } from 'node:crypto';
import type { TestRun } from '../test-run.js';
import { inRedis } from '../tools/in-pod.js';

/** Name of the Kubernetes objects, and of the Redis user. */
export const READER = 'keda-redis';

const RIGHTS = ['+ping', '+hello', '+select', '+eval', '+type', '+llen'];

/** Creates a Redis user that may only read the lengths of queues, and its password for KEDA. */
export async function createReader({ kubectl }: TestRun): Promise<void> {
  const password = randomBytes(24).toString('hex');
  const user = ['SETUSER', READER, 'reset', 'on', `>${password}`, '~{dtplatform.*}:*:wait', ...RIGHTS];
  await inRedis(kubectl, `await redis.acl(...${JSON.stringify(user)});`);
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
  await inRedis(kubectl, `await redis.acl('DELUSER', '${READER}');`);
}
