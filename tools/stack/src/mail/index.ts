export { readMails, type CaughtMail } from './caught-mail.js';
export { startMailCatcher, type MailCatcher, type MailCatcherOptions } from './mail-catcher.js';
