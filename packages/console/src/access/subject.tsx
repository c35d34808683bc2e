import { useCall, useText } from '../frame';

export interface Subject {
  type: 'user' | 'usergroup' | 'app' | 'permprofile';
  id: string;
}

/** Reads `type:id`; an id alone is that of a user. */
export function subjectOf(typed = ''): Subject {
  const [, type = 'user', id = ''] = /^(?:(user|usergroup|app):)?(.*)$/.exec(typed.trim())!;
  return { type: type as Subject['type'], id };
}

/** The name of a user or group, or the id if the user may not see it, and whether the platform knows the subject. */
export function useSubject({ type, id }: Subject): { name: string; isKnown: boolean } {
  const path = { id };
  const isId = /^\w+$/.test(id);
  const settings = { refreshMs: false as const };
  const user = useCall('passportsvc.users.show', { path }, { ...settings, isEnabled: isId && type === 'user' });
  const group = useCall(
    'passportsvc.usergroups.get',
    { path },
    { ...settings, isEnabled: isId && type === 'usergroup' },
  );
  const { _firstname, _lastname, _email } = user.data ?? {};
  const name = group.data?._name ?? ([_firstname, _lastname].filter(Boolean).join(' ') || (_email ?? id));
  return { name, isKnown: user.isSuccess || group.isSuccess || (isId && ['app', 'permprofile'].includes(type)) };
}

export function SubjectName(subject: Subject) {
  const { text } = useText();
  return `${text(`access.${subject.type}`)}: ${useSubject(subject).name}`;
}
