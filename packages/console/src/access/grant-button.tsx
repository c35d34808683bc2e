import { Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { callOptions, useCall, useChange, useNamespace, useText } from '../frame';
import { FormButton } from '../ui';
import type { Field } from '../ui/fields';
import { useAccessNames } from './names';
import type { Resource } from './names';
import { subjectOf, useSubject } from './subject';
import type { Subject } from './subject';
import type { Action } from './use-rights';

/** The actions that are granted together. */
const SETS: Action[][] = [
  ['READ'],
  ['READ', 'RUN'],
  ['READ', 'CREATE', 'EDIT'],
  ['READ', 'CREATE', 'EDIT', 'DELETE'],
  ['*'],
];

const MAX_GROUPS = 1000;
/** Groups whose members are suggested. */
const MAX_READ = 20;
/** What is an id, or has one, is never taken for the name of a group, which anybody may choose. */
const SUBJECT = /^((user|usergroup|app):.*|[0-9a-f]{24})$/;
const normalized = (name: string) => name.trim().toLocaleLowerCase();

/**
 * The field for a user, group or app, which suggests groups by name and their members by address, and what was typed: one
 * of these, or `type:id`. Names of users are not unique.
 */
export function useHolders(): { field: Field; holderOf: (typed?: string) => Subject } {
  const { text } = useText();
  const namespace = useNamespace();
  const me = useCall('passportsvc.users.me', {}, { refreshMs: false });
  const groups = useCall('passportsvc.usergroups.list', { query: { _pageSize: MAX_GROUPS } }, { refreshMs: false });
  const members = useQueries({
    queries: (groups.data?._list ?? []).slice(0, MAX_READ).map(({ _id: id }) => ({
      ...callOptions(namespace, 'passportsvc.usergroups.listMembers', { path: { id }, query: { _pageSize: 100 } }),
    })),
  });
  const people = [...(me.data ? [me.data] : []), ...members.flatMap(({ data }) => data?._list ?? [])];
  const users = [...new Map(people.map((each) => [each._id, each])).values()];
  // A name that is not known to be unique could be that of another group.
  const isComplete = (groups.data?._total ?? Infinity) <= MAX_GROUPS;
  const known = [
    ...users.map(({ _id, _email }) => ({ holder: `user:${_id}`, name: _email })),
    ...(groups.data?._list ?? []).map(({ _id, _name }) => ({ holder: `usergroup:${_id}`, name: _name ?? _id })),
  ];
  const named = (name: string) => known.filter((each) => normalized(each.name) === normalized(name));
  const isUnique = (name: string) => isComplete && named(name).length === 1 && !SUBJECT.test(name.trim());
  return {
    field: {
      ...{ name: 'holder', label: text('access.holder'), help: text('access.holderHelp'), isRequired: true },
      choices: known.map(({ holder, name }) =>
        isUnique(name) ? { value: name, label: holder } : { value: holder, label: name },
      ),
    },
    holderOf: (typed = '') => subjectOf(isUnique(typed) ? named(typed)[0]!.holder : typed),
  };
}

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
  const { field, holderOf } = useHolders();
  const choices = SETS.map((set) => ({ value: set.join(), label: actionsName(set) }));
  return (
    <FormButton
      label={text('access.grant')}
      variant="default"
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
