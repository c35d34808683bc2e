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

/** Mails from an administrator's point of view: what became of them, without their bodies. */
export const createMails = ({ mailQueue, mailStore }: Deps) => ({
  /** Newest first. */
  list: (status: Mail['status'] | undefined, paging: Paging): Promise<Listing<Mail>> => mailStore.list(status, paging),
  /** Queues a mail without content to an address. */
  sendTest: (to: string): Promise<Mail> => mailQueue.sendAlone({ ...TEST, to }),
});

export type Mails = ReturnType<typeof createMails>;
