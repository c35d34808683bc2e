import { ApiError } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { client, useChange, useNamespace, useText } from '../frame';
import { FormButton, shortNameOf } from '../ui';
import { notify } from '../ui/notice';
import { useGrant } from './grant-button';
import type { Resource } from './names';
import type { Action } from './use-rights';

const ACTIONS: Record<string, Action[]> = { read: ['READ'], edit: ['READ', 'EDIT'] };

/**
 * Invites somebody to a resource: a group of its own gets the permissions, and the person an invite to it. Sharing again
 * uses the same group.
 */
export function ShareButton({ resource }: { resource: Resource }) {
  const { text } = useText();
  const createGroup = useChange('passportsvc.usergroups.create');
  const removeGroup = useChange('passportsvc.usergroups.delete');
  const namespace = useNamespace()!;
  const grant = useGrant();
  const invite = useChange('passportsvc.invites.create');
  return (
    <FormButton
      label={text('share.title')}
      title={text('share.titleOf', { name: resource.name })}
      submit={text('invites.create')}
      fields={[
        { name: 'email', label: text('invites.email'), kind: 'email', isRequired: true, help: text('share.help') },
        {
          ...{ name: 'rights', label: text('access.actions'), kind: 'choice', initial: 'read' },
          choices: (['read', 'edit'] as const).map((value) => ({ value, label: text(`share.${value}`) })),
        },
      ]}
      onSubmit={async ({ email: _email = '', rights = 'read' }) => {
        const _name = `${resource.name}: ${_email}`;
        const send = async (id: string) => {
          await invite.mutateAsync({ path: { id }, body: [{ _email }] });
          notify(text('invites.sent'));
        };
        const known = await findShare(client.in(namespace), namespace, resource.irn, _name);
        if (known) {
          const isOpen = (error: unknown) => error instanceof ApiError && error.code === 'ALREADY_INVITED';
          await send(known._id).catch((error: unknown) => {
            if (!isOpen(error)) throw error;
            notify(text('share.open'));
          });
          return grant({ type: 'usergroup', id: known._id }, resource.irn, ACTIONS[rights]!);
        }
        const body = [{ _name, _shortName: shortNameOf(_email) }];
        const { _id: id } = (await createGroup.mutateAsync({ body }))._list[0]!;
        try {
          await grant({ type: 'usergroup', id }, resource.irn, ACTIONS[rights]!);
          await send(id);
        } catch (error) {
          // Nobody can join the group.
          await removeGroup.mutateAsync({ path: { id } });
          throw error;
        }
      }}
    />
  );
}

/** The group of an earlier share by the same user. Others may have named a group of their own like it. */
async function findShare(caller: Client, _namespace: string, irn: string, _name: string) {
  const groups = await caller.call('passportsvc.usergroups.list', { query: { _name, _pageSize: 100 } });
  const query = { _namespace, '_resourceDesc._irn': irn, scope: 'exact' as const, _pageSize: 1000 };
  const holders = await caller.call('objectmodelsvc.permissions.holders', { query });
  const ids = new Set(holders._list.map(({ _user }) => _user._id));
  const me = await caller.call('passportsvc.users.me');
  return groups._list.find(({ _id, _metadata }) => ids.has(_id) && _metadata._createdById === me._id);
}
