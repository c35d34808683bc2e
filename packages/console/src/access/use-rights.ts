import type { Schemas } from '@dtplatform/sdk';
import { useCall, useNamespace } from '../calls';

export type Action = Schemas['SentPermission']['_actions'][number];

/**
 * Whether the user may do each of some things on a resource (`service:type:id`), or on one of several, so that pages
 * offer them. The platform decides when they are done. False until it is known.
 */
export function useRights(resource: string | string[], actions: Action[], namespace?: string): boolean[] {
  const ofPage = useNamespace();
  const _namespace = namespace ?? ofPage ?? '';
  const me = useCall('passportsvc.users.me', {}, { refreshMs: false });
  const _user = { _type: 'user' as const, _id: me.data?._id ?? '' };
  const irns = [resource].flat();
  const answer = useCall(
    'objectmodelsvc.permissions.check',
    { body: actions.flatMap((_action) => irns.map((_irn) => ({ _user, _action, _irn, _namespace }))) },
    { isEnabled: me.data !== undefined && _namespace !== '', refreshMs: false },
  );
  return actions.map((_, index) => {
    const answers = answer.data?._list.slice(index * irns.length, (index + 1) * irns.length);
    return answers?.some(({ _allowed }) => _allowed) ?? false;
  });
}
