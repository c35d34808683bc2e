import { Text } from '@mantine/core';
import { useCall, useChange, useNamespace, useText } from '../frame';
import { FormButton } from '../ui';
import { useAccessNames } from './names';
import type { Resource } from './names';
import { useSubject } from './subject';
import type { Subject } from './subject';
import { useHolders } from './use-holders';
import type { Action } from './use-rights';

/** The actions that are granted together. */
const SETS: Action[][] = [
  ['READ'],
  ['READ', 'RUN'],
  ['READ', 'CREATE', 'EDIT'],
  ['READ', 'CREATE', 'EDIT', 'DELETE'],
  ['*'],
];

/** Returns a function that grants permissions. */
export function useGrant() {
  const _namespace = useNamespace()!;
  const put = useChange('objectmodelsvc.permissions.put');
  return async ({ type: _type, id: _id }: Subject, _irn: string, _actions: Action[]) => {
    const permission = { _namespace, _user: { _type, _id }, _resourceDesc: { _irn }, _actions };
    const { _list } = await put.mutateAsync({ body: [permission] });
    if (_list._failures[0]) throw new Error(_list._failures[0].message);
  };
}

/** Grants permissions on a resource, and shows the effect first. */
export function GrantButton({ resource }: { resource: Resource }) {
  const { text } = useText();
  const { actionsName } = useAccessNames();
  const grant = useGrant();
  const { field, holderOf, load } = useHolders();
  const choices = SETS.map((set) => ({ value: set.join(), label: actionsName(set) }));
  return (
    <FormButton
      label={text('access.grant')}
      variant="default"
      onOpen={load}
      title={text('access.grantTitle', { name: resource.name })}
      submit={text('access.grant')}
      done={text('access.granted')}
      fields={[
        field,
        { ...{ name: 'actions', label: text('access.actions'), kind: 'choice', initial: 'READ' }, choices },
      ]}
      preview={({ holder, actions = '' }) => (
        <Effect
          holder={holderOf(holder)}
          actions={actionsName(actions.split(',') as Action[])}
          resource={resource.name}
        />
      )}
      onSubmit={({ holder, actions = '' }) => grant(holderOf(holder), resource.irn, actions.split(',') as Action[])}
    />
  );
}

function Effect({ holder: subject, actions, resource }: { holder: Subject; actions: string; resource: string }) {
  const { text } = useText();
  const { name, isKnown } = useSubject(subject);
  const isGroup = subject.type === 'usergroup' && isKnown;
  const members = useCall('passportsvc.usergroups.listMembers', { path: { id: subject.id } }, { isEnabled: isGroup });
  if (!isKnown) return undefined;
  return (
    <Text role="status">
      {text('access.preview', { holder: `${text(`access.${subject.type}`)} ${name}`, actions, resource })}{' '}
      {members.data && text('access.previewMembers', { count: members.data._total })}
    </Text>
  );
}
