import type { Deps } from '../deps.js';

const RETRY_MS = 2000;

/** Writes the permissions of apps that the migration created, and retries until objectmodelsvc accepts them. */
export function writePendingGrants({ apps, log, lifecycle }: Pick<Deps, 'apps' | 'log' | 'lifecycle'>): void {
  const attempt = async () => {
    try {
      await apps.writePendingGrants();
    } catch (error) {
      if (lifecycle.stopping) return;
      log.debug({ err: error }, 'permissions of apps could not be written yet');
      setTimeout(() => void attempt(), RETRY_MS).unref();
    }
  };
  void attempt();
}
