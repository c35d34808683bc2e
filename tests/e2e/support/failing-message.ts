import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** Puts a message that no worker can take into a queue, as an old version of a service could. @returns its id */
export async function putFailingMessage(name: string): Promise<string> {
  const connection = new Redis(process.env.E2E_REDIS_URL!, { maxRetriesPerRequest: null });
  const queue = new Queue(name, { connection, prefix: `{dtplatform.${name}}`, skipMetasUpdate: true });
  const jobId = randomUUID();
  const attempts = Number.MAX_SAFE_INTEGER;
  await queue.add('removed', {}, { jobId, attempts, backoff: { type: 'by message' }, removeOnComplete: true });
  await queue.close();
  await connection.quit();
  return jobId;
}
