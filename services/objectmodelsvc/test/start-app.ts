import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import type { Subject } from '@dtplatform/contracts';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { migrateDatabase } from '@dtplatform/mongo';
import { createTestTokens, testEnvironment } from '@dtplatform/testing';
import type { TestTokens } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import { schema } from '../src/store/schema.js';

export const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

/** Users whose ids start with this do not exist in these tests. */
const UNKNOWN = 'unknown';

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application on its own database, or as a second replica of another one. */
export async function startApp(
  options: { environment?: Record<string, string>; beside?: TestApp; askPassportsvc?: boolean } = {},
) {
  const { beside } = options;
  const shared: Record<string, string> = beside ? { MONGO_DB: beside.deps.config.MONGO_DB } : {};
  const config = loadConfig(Config, testEnvironment('objectmodelsvc', { ...shared, ...options.environment }));
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle({ log, graceMs: 5000 });
  const tokens: TestTokens = beside?.tokens ?? (await createTestTokens());
  const asked: Subject[] = [];
  const subjects = {
    exists: async (subject: Subject) => {
      asked.push(subject);
      await new Promise((resolve) => setImmediate(resolve));
      return !subject._id.startsWith(UNKNOWN);
    },
  };
  const deps = await createDeps(
    config,
    { log, lifecycle },
    { keys: tokens.keys, ...(options.askPassportsvc ? {} : { subjects }) },
  );
  const { signal } = new AbortController();
  if (!beside) await migrateDatabase(deps.mongo, schema, { version: 'test', log, signal });
  const listener = createApp(deps);
  return {
    api: supertest(listener),
    listener,
    deps,
    tokens,
    /** The subjects that were looked up in passportsvc. */
    asked,
    as: async (id: string, kind: 'user' | 'trusted' | 'app' | 'admin' = 'user') =>
      `Bearer ${await tokens.issue({ id, kind, appId: kind === 'app' || kind === 'trusted' ? id : 'app' })}`,
    async stop() {
      if (!beside) await deps.mongo.db.dropDatabase();
      await lifecycle.stop('the test is over');
    },
  };
}

export interface Entry {
  _namespace: string;
  _resourceDesc: { _irn: string };
  _user: { _type: string; _id: string };
  _actions: string[];
}

export const entryFor = (userId: string, _namespace: string, _irn: string, ..._actions: string[]): Entry => ({
  _namespace,
  _resourceDesc: { _irn },
  _user: { _type: 'user', _id: userId },
  _actions,
});
