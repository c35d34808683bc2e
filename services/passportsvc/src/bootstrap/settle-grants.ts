import type { Deps } from '../deps.js';
import { writePendingGrants } from '../domain/app-grants.js';

const RETRY_MS = 2000;

/** Writes the permissions that the migration could not write, as soon as objectmodelsvc takes them. */
export function settleGrants({
  apps,
  grants,
  log,
  lifecycle,
}: Pick<Deps, 'apps' | 'grants' | 'log' | 'lifecycle'>): void {
  const attempt = async () => {
    try {
      await writePendingGrants(apps, grants);
    } catch (error) {
      if (lifecycle.stopping) return;
      log.debug({ err: error }, 'permissions of apps are still to be written');
      setTimeout(() => void attempt(), RETRY_MS).unref();
    }
  };
  void attempt();
}
