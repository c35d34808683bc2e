import type { Listing, Paging } from '@dtplatform/contracts';
import type { Mail } from './mail.js';
import type { MailQueue, MailStore } from './mails.store.js';

const TEST = {
  subject: 'Test mail',
  text: 'An administrator of the platform sent this mail to check that mails arrive. You do not need to do anything.',
};

interface Deps {
  mailQueue: MailQueue;
  mailStore: MailStore;
}

/** Shows administrators the status of mails, without their bodies, and sends test mails. */
export const createMails = ({ mailQueue, mailStore }: Deps) => ({
  /** Newest first. */
  list: (status: Mail['status'] | undefined, paging: Paging): Promise<Listing<Mail>> => mailStore.list(status, paging),
  /** Queues a test mail. */
  sendTest: (to: string): Promise<Mail> => mailQueue.sendAlone({ ...TEST, to }),
});

export type Mails = ReturnType<typeof createMails>;
