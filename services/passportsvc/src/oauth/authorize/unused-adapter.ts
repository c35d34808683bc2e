import type { Adapter } from 'oidc-provider';

/** For what is never stored: a call is a programming error. */
export function unused(name: string): Adapter {
  const refuse = () => Promise.reject(new Error(`nothing of kind ${name} is stored so`));
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
