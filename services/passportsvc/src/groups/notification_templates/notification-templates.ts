import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { AppStore } from '../../directory/apps/apps.store.js';
import { errors } from '../../errors.js';
import type { NewMail } from '../mails/mail.js';
import type { NotificationTemplate, TemplateChange, TemplateName } from './notification-template.js';
import type { NotificationTemplateStore } from './notification-templates.store.js';
import { render } from './render.js';

type Text = Pick<NotificationTemplate, '_title' | '_message'>;
/** A text that need not be stored yet. */
export type Draft = Text & Pick<NotificationTemplate, '_format'>;

const LINK = `<p><a href="\${invite_link}">Accept or decline the invitation</a></p>
<p>The link is valid for $!{hours} hours. If you did not expect this email, you can ignore it.</p>
`;

/** The initial templates of each app, in `en`. `name` is the group's. */
const TEXTS: Record<TemplateName, Text> = {
  USER_GROUP_INVITE: {
    _title: 'Invitation to $!{name}',
    _message: `<p>$!{body_header}</p>
<p>You have been invited to join the group <strong>$!{name}</strong>.</p>
<p>$!{body_content}</p>
${LINK}`,
  },
  USER_GROUP_INVITE_REMINDER: {
    _title: 'Reminder: invitation to $!{name}',
    _message: `<p>$!{body_header}</p>
<p>Your invitation from $!{invite_dt} to join the group <strong>$!{name}</strong> is still open.</p>
<p>$!{body_content}</p>
${LINK}`,
  },
};

const LOCALE = 'en';

/** A value for each reference that invites have. */
const exampleOf = (baseUrl: string) => ({
  ...{ name: 'Example group', body_header: 'Hello,', body_content: 'We look forward to working with you.' },
  ...{ invite_link: `${baseUrl}/passportsvc/api/v1/invites/example`, invite_dt: '2026-01-31', hours: 72 },
  ...{ base_url: baseUrl, host: new URL(baseUrl).host },
});

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

/** The template for a language, with or without its region, else English, else any. */
export function bestMatch<T extends { _locale: string }>(templates: readonly T[], locale: string): T | undefined {
  const key = (tag: string) => tag.replaceAll('_', '-').toLowerCase();
  const wanted = [key(locale), key(locale).split('-')[0]!, LOCALE];
  for (const tag of wanted) {
    const match = templates.find(({ _locale }) => key(_locale) === tag);
    if (match) return match;
  }
  return templates[0];
}

interface TemplateQuery {
  _name: TemplateName;
  _appId?: string | undefined;
}

interface Deps {
  templateStore: NotificationTemplateStore;
  appStore: Pick<AppStore, 'find'>;
  newId: () => string;
  baseUrl: string;
}

export type NotificationTemplates = ReturnType<typeof createNotificationTemplates>;

/** Callers see the templates of their token's app. */
export function createNotificationTemplates({ templateStore, appStore, newId, baseUrl }: Deps) {
  /** Adds missing templates on first use, so that apps from before this feature have them, too. */
  async function complete(appId: string): Promise<NotificationTemplate[]> {
    const present = await templateStore.ofApp(appId);
    const missing = missingTemplates(appId, present, newId);
    if (missing.length === 0) return present;
    for (const template of missing) await templateStore.add(template);
    return templateStore.ofApp(appId);
  }

  const ownsApp = async (appId: string, { principal }: Access) =>
    principal.kind === 'user' && (await appStore.find(appId))?._ownerId === principal.id;

  const isPlatform = ({ principal: { kind } }: Access) => kind === 'admin' || kind === 'trusted';

  const isVisibleApp = async (appId: string, access: Access) =>
    appId === access.principal.appId || isPlatform(access) || (await ownsApp(appId, access));

  async function get(id: string, access: Access): Promise<NotificationTemplate> {
    const template = await templateStore.find(id);
    const isVisible = template && (await isVisibleApp(template._appId, access));
    if (!isVisible) throw commonErrors.notFound();
    return template;
  }

  return {
    /** @param query._appId by default the app of the token @throws notFound when the caller may not see the app's */
    async list(query: TemplateQuery, paging: Paging, access: Access): Promise<Listing<NotificationTemplate>> {
      const { _name: name, _appId: appId = access.principal.appId } = query;
      const isKnown = appId === access.principal.appId || (await appStore.find(appId)) !== undefined;
      if (!isKnown || !(await isVisibleApp(appId, access))) throw commonErrors.notFound();
      await complete(appId);
      return templateStore.list(appId, name, paging);
    },

    /** @throws notFound when it belongs to another app */
    get,

    /**
     * Permitted to the app itself, its owner, administrators and trusted clients.
     * @throws notFound, forbidden, templateRenamed, templateTaken, 412
     */
    async update(
      id: string,
      change: TemplateChange,
      access: Access,
      precondition: Precondition,
    ): Promise<NotificationTemplate> {
      const template = await get(id, access);
      const isApp = access.principal.kind === 'app';
      if (!isApp && !isPlatform(access) && !(await ownsApp(template._appId, access)))
        throw commonErrors.forbidden({
          message: 'Only the application, its owner, administrators and trusted clients may change its templates.',
        });
      if (change._name !== template._name) throw errors.templateRenamed();
      const touched = { '_metadata._updatedAt': Date.now(), '_metadata._updatedById': access.principal.id };
      const updated = await templateStore.update(id, { ...change, ...touched }, precondition);
      if (!updated) throw commonErrors.notFound();
      return updated;
    },

    /** What a mail looks like, with values of an example. @throws renderedTooLarge */
    preview: ({ _title, _message, _format }: Draft): Omit<NewMail, 'to'> =>
      render({ _name: 'USER_GROUP_INVITE', _title, _message, _format }, exampleOf(baseUrl)),

    async find(appId: string, name: TemplateName, locale = 'en'): Promise<NotificationTemplate> {
      const templates = (await complete(appId)).filter(({ _name }) => _name === name);
      return bestMatch(templates, locale)!;
    },
  };
}
