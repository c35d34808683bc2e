import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { AppStore } from '../../directory/apps/apps.store.js';
import { errors } from '../../errors.js';
import type { NotificationTemplate, TemplateChange, TemplateName } from './notification-template.js';
import type { NotificationTemplateStore } from './notification-templates.store.js';

type Text = Pick<NotificationTemplate, '_title' | '_message'>;

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

interface Deps {
  templateStore: NotificationTemplateStore;
  appStore: Pick<AppStore, 'find'>;
  newId: () => string;
}

export type NotificationTemplates = ReturnType<typeof createNotificationTemplates>;

/** Callers see the templates of their token's app. */
export function createNotificationTemplates({ templateStore, appStore, newId }: Deps) {
  /** Adds missing templates on first use, so that apps from before this feature have them, too. */
  async function complete(appId: string): Promise<NotificationTemplate[]> {
    const present = await templateStore.ofApp(appId);
    const missing = missingTemplates(appId, present, newId);
    if (missing.length === 0) return present;
    for (const template of missing) await templateStore.add(template);
    return templateStore.ofApp(appId);
  }

  const isOwner = async ({ _appId }: NotificationTemplate, { principal }: Access) =>
    principal.kind === 'user' && (await appStore.find(_appId))?._ownerId === principal.id;

  const isPlatform = ({ principal: { kind } }: Access) => kind === 'admin' || kind === 'trusted';

  async function get(id: string, access: Access): Promise<NotificationTemplate> {
    const template = await templateStore.find(id);
    const isVisible =
      template &&
      (template._appId === access.principal.appId || isPlatform(access) || (await isOwner(template, access)));
    if (!isVisible) throw commonErrors.notFound();
    return template;
  }

  return {
    async list(name: TemplateName, paging: Paging, access: Access): Promise<Listing<NotificationTemplate>> {
      const { appId } = access.principal;
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
      if (!isApp && !isPlatform(access) && !(await isOwner(template, access)))
        throw commonErrors.forbidden({
          message: 'Only the application, its owner, administrators and trusted clients may change its templates.',
        });
      if (change._name !== template._name) throw errors.templateRenamed();
      const touched = { '_metadata._updatedAt': Date.now(), '_metadata._updatedById': access.principal.id };
      const updated = await templateStore.update(id, { ...change, ...touched }, precondition);
      if (!updated) throw commonErrors.notFound();
      return updated;
    },

    async find(appId: string, name: TemplateName, locale = 'en'): Promise<NotificationTemplate> {
      const templates = (await complete(appId)).filter(({ _name }) => _name === name);
      return bestMatch(templates, locale)!;
    },
  };
}
