import { cutText } from '@dtplatform/contracts';
import { errors } from '../../errors.js';
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../mails/mail.js';
import type { NewMail } from '../mails/mail.js';
import { textOf } from './notification-template.js';
import type { NotificationTemplate } from './notification-template.js';

export type TemplateParams = Readonly<Record<string, string | number | boolean>>;

type Rendered = Pick<NotificationTemplate, '_name' | '_title' | '_message' | '_format'>;

/** `${name}` and `$!{name}`, with the names that Velocity allows. */
const REFERENCE = /\$(!?)\{([A-Za-z][A-Za-z0-9_-]*)\}/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
const asIs = (text: string) => text;

/**
 * Renders a template to a mail without a recipient. Escapes values in `text/html`. As in Velocity, `${name}` without a
 * value stays, and `$!{name}` becomes empty. Values are not rendered again.
 * @throws renderedTooLarge
 */
export function render(template: Rendered, params: TemplateParams): Omit<NewMail, 'to'> {
  const { _name, _title, _message, _format } = template;
  const subject = cutText(oneLine(fill(_title, params, asIs)), MAX_SUBJECT_LENGTH).trim() || _name;
  if (_format === 'text/plain') return { subject, text: fill(_message, params, asIs) };
  const html = fill(_message, params, escapeHtml);
  return { subject, text: cutText(textOf(html), MAX_BODY_LENGTH), html };
}

function fill(text: string, params: TemplateParams, escape: (value: string) => string): string {
  let room = MAX_BODY_LENGTH - text.length;
  return text.replace(REFERENCE, (reference, quiet: string, name: string) => {
    const value = Object.hasOwn(params, name) ? escape(String(params[name])) : quiet ? '' : reference;
    room += reference.length - value.length;
    if (room < 0) throw errors.renderedTooLarge();
    return value;
  });
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ');
