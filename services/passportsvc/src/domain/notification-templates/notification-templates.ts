import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { AppStore } from '../apps/ports.js';
import { bestMatch, missingTemplates } from './default-templates.js';
import type { NotificationTemplate, TemplateChange, TemplateName } from './notification-template.js';
import type { NotificationTemplateStore } from './ports.js';

interface Deps {
  templateStore: NotificationTemplateStore;
  appStore: Pick<AppStore, 'find'>;
  newId: () => string;
}

export type NotificationTemplates = ReturnType<typeof createNotificationTemplates>;

/** Templates belong to an app: callers see those of the app of their token. */
export function createNotificationTemplates({ templateStore, appStore, newId }: Deps) {
  /** Apps get their templates when somebody first asks for one, so older apps have them as well. */
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
    /** Those of the app of the caller's token. */
    async list(name: TemplateName, paging: Paging, access: Access): Promise<Listing<NotificationTemplate>> {
      const { appId } = access.principal;
      await complete(appId);
      return templateStore.list(appId, name, paging);
    },

    /** @throws notFound when it belongs to another app */
    get,

    /**
     * Changes what is given. For the app itself, its owner, administrators and trusted clients.
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

    /** The template of an app for an occasion, in the language that fits best. */
    async find(appId: string, name: TemplateName, locale = 'en'): Promise<NotificationTemplate> {
      const templates = (await complete(appId)).filter(({ _name }) => _name === name);
      return bestMatch(templates, locale)!;
    },
  };
}
