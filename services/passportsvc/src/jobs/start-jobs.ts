import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { startRelay, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createSendMail } from '../groups/mail/mail.js';
import { createMailStore } from '../groups/mail/mail.store.js';
import { mailJobs, sendMail } from '../groups/mail/send-mail.job.js';
import { createSmtpSender } from '../groups/mail/smtp-sender.client.js';
import { openKeyRotation } from '../oauth/keys/keys.module.js';
import { rotateSigningKeys } from '../oauth/keys/rotate-signing-keys.job.js';
import { startUserDelivery } from '../scim/deliveries/deliver-users.job.js';

/**
 * Starts all that the worker process does: it moves messages from the outbox to their queues, processes those queues, and
 * delivers users to SCIM servers.
 */
export async function startJobs(
  { config, mongo, log, lifecycle }: ProcessContext & { config: WorkerConfig; mongo: Mongo },
  options: Pick<RelayOptions, 'queuePrefix' | 'redelivery'> = {},
): Promise<Jobs> {
  const queues = { ...options, redisUrl: config.REDIS_URL, log };
  const mailStore = createMailStore(mongo);
  const sender = createSmtpSender(config);
  if (!config.SMTP_URL) log.warn('SMTP_URL is not set: mails wait until it is');
  const workers = [
    await startWorker({
      ...queues,
      catalogue: mailJobs,
      handlers: { 'mail.send': sendMail(createSendMail({ mailStore, sender })) },
      concurrency: 8,
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  const relay = await startRelay({ ...queues, mongo });
  lifecycle.onStop('relay', () => relay.stop());
  const delivery = startUserDelivery({ config, mongo, log, lifecycle });
  const lease = createLease(mongo, 'signing-keys');
  const rotateAfterDays = config.SIGNING_KEY_ROTATION_DAYS;
  rotateSigningKeys({ ...openKeyRotation(mongo, config), lease, rotateAfterDays, log, lifecycle });

  return {
    workers,
    relay,
    gauges: [
      ...delivery.gauges,
      { name: 'mails_waiting', help: 'Mails that are not sent yet.', read: () => mailStore.count('QUEUED') },
      { name: 'mails_failed', help: 'Mails that were given up.', read: () => mailStore.count('FAILED') },
    ],
  };
}
