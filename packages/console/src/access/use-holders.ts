import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { callOptions, useCall, useNamespace, useText } from '../frame';
import type { Field } from '../ui/fields';
import { subjectOf } from './subject';
import type { Subject } from './subject';

const MAX_GROUPS = 1000;
/** Groups whose members are suggested. */
const MAX_READ = 20;
/** An id, an address, or what contains an id is never taken for the name of a group, which anybody may choose. */
const NOT_A_NAME = /^((user|usergroup|app):.*|[0-9a-f]{24}|\S+@\S+)$/;
const normalized = (name: string) => name.trim().toLocaleLowerCase();

interface Holders {
  /** Suggests groups by name and their members by address. */
  field: Field;
  /** What was typed: a suggestion, or `type:id`. */
  holderOf: (typed?: string) => Subject;
  /** Reads the suggestions. Call it when the field is shown. */
  load: () => void;
}

/** The field for a user, group or app. Users are not found by name, since names of users are not unique. */
export function useHolders(): Holders {
  const { text } = useText();
  const namespace = useNamespace();
  const [isEnabled, setEnabled] = useState(false);
  const settings = { isEnabled, refreshMs: false } as const;
  const me = useCall('passportsvc.users.me', {}, settings);
  const groups = useCall('passportsvc.usergroups.list', { query: { _pageSize: MAX_GROUPS } }, settings);
  const members = useQueries({
    queries: (groups.data?._list ?? []).slice(0, MAX_READ).map(({ _id: id }) => ({
      ...callOptions(namespace, 'passportsvc.usergroups.listMembers', { path: { id }, query: { _pageSize: 100 } }),
      ...{ enabled: isEnabled, refetchInterval: false as const, staleTime: Infinity },
    })),
  });
  const users = [...(me.data ? [me.data] : []), ...members.flatMap(({ data }) => data?._list ?? [])];
  const known = [
    ...new Map(users.map(({ _id, _email }) => [_id, { holder: `user:${_id}`, name: _email, isGroup: false }])).values(),
    ...(groups.data?._list ?? []).map(({ _id, _name }) => ({
      ...{ holder: `usergroup:${_id}`, name: _name ?? _id, isGroup: true },
    })),
  ];
  // A name that is not known to be unique could be that of another group.
  const isComplete = (groups.data?._total ?? Infinity) <= MAX_GROUPS;
  const found = (name: string) => {
    const [one, ...others] = known.filter((each) => normalized(each.name) === normalized(name));
    const isClear = one && (one.isGroup ? isComplete && !NOT_A_NAME.test(name.trim()) : true);
    return isClear && others.length === 0 ? one : undefined;
  };
  return {
    field: {
      ...{ name: 'holder', label: text('access.holder'), help: text('access.holderHelp'), isRequired: true },
      choices: known.map(({ holder, name }) =>
        found(name) ? { value: name, label: holder } : { value: holder, label: name },
      ),
    },
    holderOf: (typed = '') => subjectOf(found(typed)?.holder ?? typed),
    load: () => setEnabled(true),
  };
}
