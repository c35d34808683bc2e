import type { Action, Subject } from '@dtplatform/contracts';
import { allows } from '@dtplatform/permissions';
import type { Access, GrantCache } from '@dtplatform/permissions';
import { errors } from '../errors.js';

/** One question: may this user do this to that resource? */
interface Question {
  _user: Subject;
  _action: Action | '*';
  _irn: string;
  _namespace: string;
}

export interface PermissionChecks {
  /** Answers all questions as of now. @throws 403 when the caller may not ask one of them */
  answer(questions: Question[], access: Access): Promise<boolean[]>;
}

export function createPermissionChecks({ cache }: { cache: GrantCache }): PermissionChecks {
  return {
    async answer(questions, access) {
      await assertMayAsk(questions, access);
      const opened = new Map<string, ReturnType<GrantCache['open']>>();
      const open = (user: Subject) => {
        const key = `${user._type}:${user._id}`;
        const known = opened.get(key) ?? cache.open(user);
        opened.set(key, known);
        return known;
      };
      return Promise.all(
        questions.map(async ({ _user, _action, _irn, _namespace }) => {
          const { lookup } = await open(_user);
          return allows(await lookup.grants(_namespace), _action, _irn);
        }),
      );
    },
  };
}

async function assertMayAsk(questions: Question[], access: Access): Promise<void> {
  if (access.principal.kind === 'trusted') return;
  for (const { _user, _irn, _namespace } of questions) {
    const isOwn = _user._type === 'user' && _user._id === access.principal.id;
    if (!isOwn && !(await access.may('SHARE', _irn, [_namespace]))) throw errors.mayNotAsk();
  }
}
