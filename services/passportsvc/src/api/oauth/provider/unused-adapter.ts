import type { Adapter } from 'oidc-provider';

/** An adapter for models that are never stored: calling it is a programming error. */
export function unused(name: string): Adapter {
  const refuse = () => Promise.reject(new Error(`${name} is never stored through this adapter`));
  return {
    upsert: refuse,
    find: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}
