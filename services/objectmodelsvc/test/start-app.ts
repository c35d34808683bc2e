import type { Subject } from '@dtplatform/contracts';
import { startService } from '@dtplatform/testing';
import { Config } from '../src/config.js';
import { createApp, createDeps, service as objectmodelsvc } from '../src/service.js';

export const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

/** Users whose ids start with this do not exist in these tests. */
const UNKNOWN = 'unknown';

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application. Unless it asks passportsvc, all users exist except the unknown ones. */
export async function startApp(options: { environment?: Record<string, string>; askPassportsvc?: boolean } = {}) {
  const { environment, askPassportsvc } = options;
  const asked: Subject[] = [];
  const subjects = {
    exists: async (subject: Subject) => {
      asked.push(subject);
      await new Promise((resolve) => setImmediate(resolve));
      return !subject._id.startsWith(UNKNOWN);
    },
  };
  const service = await startService({
    ...objectmodelsvc,
    Config,
    createApp,
    createDeps: ({ config, sources: { keys }, ...context }) =>
      createDeps(config, context, { keys, ...(askPassportsvc ? {} : { subjects }) }),
    ...(environment && { environment }),
  });
  /** `asked` contains the subjects that were looked up in passportsvc. */
  return { ...service, asked };
}

export interface Entry {
  _namespace: string;
  _resourceDesc: { _irn: string; _criteria?: object; _subresourceDesc?: object };
  _user: { _type: string; _id: string };
  _actions: string[];
}

export const entryFor = (userId: string, _namespace: string, _irn: string, ..._actions: string[]): Entry => ({
  _namespace,
  _resourceDesc: { _irn },
  _user: { _type: 'user', _id: userId },
  _actions,
});
