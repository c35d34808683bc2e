import { convert } from 'html-to-text';
import { z } from 'zod';
import { Metadata, ResourceId } from '@dtplatform/contracts';
import { App } from '../../directory/apps/app.js';

/** Velocity's own directives, also in braces (`#{else}`). Any other word after `#`, such as a colour, is text. */
const DIRECTIVE =
  /#(?:(?:set|if|elseif|else|end|foreach|macro|parse|include|evaluate|define|break|stop)(?![A-Za-z0-9_])|\{(?:set|if|elseif|else|end|foreach|macro|parse|include|evaluate|define|break|stop)\})/;

const hasDirective = (text: string): boolean => DIRECTIVE.test(text);

/** Nesting of elements; the package renders recursively. */
const MAX_DEPTH = 100;
/** Replaces deeper nesting. No template contains NUL. */
const TOO_DEEP = '\0';

export const textOf = (html: string): string =>
  convert(html, { wordwrap: 120, limits: { maxDepth: MAX_DEPTH, ellipsis: TOO_DEEP } });

const isTooDeep = (html: string): boolean => textOf(html).includes(TOO_DEEP);

export const TemplateName = z
  .enum(['USER_GROUP_INVITE', 'USER_GROUP_INVITE_REMINDER'])
  .describe('The occasion of the mail: an invite to a user group, or a reminder of one.');
export type TemplateName = z.infer<typeof TemplateName>;

const MAX_TITLE_LENGTH = 255;
const MAX_MESSAGE_LENGTH = 64 * 1024;

const NO_DIRECTIVES = 'must not contain Velocity directives; only references such as ${name} are replaced';
const withoutDirectives = (text: string) => !hasDirective(text);

/** A mail's text, for one app, occasion and language (docs/contract.md, "Notification templates"). */
export const NotificationTemplate = z.object({
  _id: ResourceId.describe('The id of the template: 24 hexadecimal digits.'),
  _name: TemplateName,
  _title: z
    .string()
    .trim()
    .min(1)
    .max(MAX_TITLE_LENGTH)
    .regex(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$/u, 'must be one line')
    .refine(withoutDirectives, NO_DIRECTIVES)
    .describe('The subject of the mail: a single line. References such as `${name}` are replaced.'),
  _locale: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$/, 'must be a language tag such as en or pt-BR')
    .describe('The language of the template: a tag such as `en` or `pt-BR`.'),
  _message: z
    .string()
    .min(1)
    .max(MAX_MESSAGE_LENGTH)
    .refine(withoutDirectives, NO_DIRECTIVES)
    .refine((text) => !isTooDeep(text), `must not nest elements deeper than ${MAX_DEPTH} levels`)
    .describe('The text of the mail. References such as `${name}` are replaced; directives are rejected.'),
  _format: z
    .enum(['text/html', 'text/plain'])
    .describe('The type of the text. In HTML, the values of references are escaped.'),
  _appId: App.shape._id,
  _metadata: Metadata.pick({ _createdAt: true, _updatedAt: true, _updatedById: true }).describe(
    'When the template was created and last changed, and by whom.',
  ),
  _revision: z.number().int().min(0),
});
export type NotificationTemplate = z.infer<typeof NotificationTemplate>;

/** Fields that a PUT may change; absent fields stay. The occasion is fixed. */
export const TemplateChange = NotificationTemplate.pick({ _name: true, _title: true, _message: true })
  .extend(NotificationTemplate.pick({ _locale: true, _format: true }).partial().shape)
  .extend({ _name: TemplateName.describe('The name of the template, which cannot change.') })
  .meta({
    id: 'NotificationTemplateChange',
    description: 'The new text. `_locale` and `_format` change only if they are sent.',
  });
export type TemplateChange = z.infer<typeof TemplateChange>;

export const TemplateDraft = NotificationTemplate.pick({ _title: true, _message: true, _format: true }).meta({
  id: 'NotificationTemplateDraft',
  description: 'The text of a notification template. It need not be stored.',
});

export const TemplatePreview = z
  .object({
    _subject: z.string().describe('The subject.'),
    _text: z.string().describe('The plain text.'),
    _html: z.string().optional().describe('The HTML, if the format is `text/html`. It may contain anything.'),
  })
  .meta({ id: 'NotificationTemplatePreview', description: 'A mail made from a notification template.' });

export const ShownTemplate = NotificationTemplate.omit({ _revision: true }).meta({
  id: 'NotificationTemplate',
  description: 'The text of an email, for an app, occasion and language.',
});
export const showTemplate = ({ _revision, ...shown }: NotificationTemplate): z.infer<typeof ShownTemplate> => shown;
