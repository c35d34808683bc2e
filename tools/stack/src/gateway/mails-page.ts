import type { IncomingMessage, ServerResponse } from 'node:http';
import { readMails } from '../mail/caught-mail.js';
import type { CaughtMail } from '../mail/caught-mail.js';
import { NotFound, sendError } from './errors.js';
import { escapeHtml, sendPage } from './page.js';

const MAX_MAILS = 50;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Shows the mails that the local stack has caught, newest first. */
export async function sendMailsPage(req: IncomingMessage, res: ServerResponse, directory: string): Promise<void> {
  // Mails contain links for signing in. A page of another site, whose name resolves to this machine, must not read them.
  if (!LOOPBACK.test(req.headers.host ?? '')) return void sendError(req, res, NotFound);
  const mails = (await readMails(directory)).slice(-MAX_MAILS).toReversed();
  const list = mails.map(article).join('\n');
  sendPage(req, res, 'Caught mails', list || '<p>No mail yet. Invites and resets of passwords appear here.</p>');
}

const article = ({ receivedAt, recipients, subject, text }: CaughtMail) => `<article>
<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(recipients.join(', '))}, ${receivedAt}</p>
<pre>${linked(escapeHtml(text))}</pre>
</article>`;

const linked = (html: string) => html.replace(/https?:\/\/[^\s<>"[\]()]+/g, (url) => `<a href="${url}">${url}</a>`);
