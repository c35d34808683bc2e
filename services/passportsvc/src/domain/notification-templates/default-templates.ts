import type { NotificationTemplate, TemplateName } from './notification-template.js';

type Text = Pick<NotificationTemplate, '_title' | '_message'>;

const LINK = `<p><a href="\${invite_link}">Accept or decline the invitation</a></p>
<p>The link is valid for $!{hours} hours. If you do not expect this mail, ignore it.</p>
`;

/** The templates that each app starts with, in `en`. `name` is that of the group. */
const TEXTS: Record<TemplateName, Text> = {
  USER_GROUP_INVITE: {
    _title: 'Invitation to $!{name}',
    _message: `<p>$!{body_header}</p>
<p>You are invited to join the group <strong>$!{name}</strong>.</p>
<p>$!{body_content}</p>
${LINK}`,
  },
  USER_GROUP_INVITE_REMINDER: {
    _title: 'Reminder: invitation to $!{name}',
    _message: `<p>$!{body_header}</p>
<p>Your invitation of $!{invite_dt} to join the group <strong>$!{name}</strong> is still open.</p>
<p>$!{body_content}</p>
${LINK}`,
  },
};

const LOCALE = 'en';

/** The templates that an app lacks. Templates of another language count. */
export function missingTemplates(
  appId: string,
  present: readonly Pick<NotificationTemplate, '_name'>[],
  newId: () => string,
): NotificationTemplate[] {
  const names = new Set(present.map(({ _name }) => _name));
  const now = Date.now();
  return (Object.entries(TEXTS) as [TemplateName, Text][])
    .filter(([name]) => !names.has(name))
    .map(([_name, text]) => ({
      _id: newId(),
      _name,
      ...text,
      _locale: LOCALE,
      _format: 'text/html',
      _appId: appId,
      _metadata: { _createdAt: now, _updatedAt: now, _updatedById: 'platform' },
      _revision: 0,
    }));
}

/** The template for a language: in that language with or without its region, else in English, else any. */
export function bestMatch<T extends { _locale: string }>(templates: readonly T[], locale: string): T | undefined {
  const key = (tag: string) => tag.replaceAll('_', '-').toLowerCase();
  const wanted = [key(locale), key(locale).split('-')[0]!, LOCALE];
  for (const tag of wanted) {
    const match = templates.find(({ _locale }) => key(_locale) === tag);
    if (match) return match;
  }
  return templates[0];
}
