import pLimit from 'p-limit';
import { ACTIONS } from '@dtplatform/contracts';
import type { Grant, Listing, Paging, Subject } from '@dtplatform/contracts';
import { allows, compileGrants } from '@dtplatform/permissions';
import type { Access, Details, GrantCache, Grants } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { groupBy } from './group-by.js';
import { coveringPatterns } from './permission.js';
import type { Holding, Permission } from './permission.js';
import type { PermissionStore } from './permissions.store.js';
import { isOwn } from './question.js';
import type { Answer, Question, Reason } from './question.js';

/** Concurrent queries of one request. */
const LOOKUPS_AT_ONCE = 8;
const EVERYTHING = '*:*:*';

/** Permission checks for callers. */
export function createQuestions({
  permissionStore,
  grantCache,
}: {
  permissionStore: PermissionStore;
  grantCache: GrantCache;
}) {
  /** Looks up the grants of each subject and namespace once, however many checks name them. */
  async function answersOf(questions: Question[]): Promise<Answer[]> {
    const answers = new Array<Answer>(questions.length);
    const placeOf = createPlaceOf();
    const places = groupBy([...questions.keys()], (index) => placeOf(questions[index]!));
    await pLimit(LOOKUPS_AT_ONCE).map([...places.values()], async (indexes) => {
      const { _user, _namespace } = questions[indexes[0]]!;
      const lookup = await grantCache.peek(_user);
      const held = await lookup.grants(_namespace);
      for (const index of indexes) answers[index] = withAnswer(questions[index]!, held);
    });
    return answers;
  }

  /** One query per subject and namespace, however many checks name them. */
  async function reasonsOf(questions: Question[]): Promise<Answer[]> {
    const answers = new Map<Question, Answer>();
    await pLimit(LOOKUPS_AT_ONCE).map([...groupBy(questions, createPlaceOf()).values()], async (group) => {
      const [{ _user, _namespace }] = group;
      const patterns = [...new Set(group.flatMap(({ _irn }) => coveringPatterns(_irn)))];
      const records = await permissionStore.heldOn(patterns, _user, _namespace);
      for (const question of group) answers.set(question, withReason(question, records));
    });
    return questions.map((question) => answers.get(question)!);
  }

  return {
    /**
     * Evaluates all checks with the current permissions, in order.
     * @param reasons whether each result includes the records that decide it
     * @throws 403 when the caller may not make one of them
     */
    async check(questions: Question[], reasons: boolean, access: Access): Promise<Answer[]> {
      for (const { _user, _irn, _namespace } of questions) {
        if (!isOwn(_user, access) && !(await access.may('SHARE', _irn, [_namespace]))) throw errors.mayNotAsk();
      }
      return reasons ? reasonsOf(questions) : answersOf(questions);
    },
    /** The permissions on a resource, whoever holds them. @throws 403 without SHARE on it */
    async holders(holding: Holding, paging: Paging, access: Access): Promise<Listing<Permission>> {
      if (!(await access.may('SHARE', holding.irn, [holding.namespace]))) throw errors.mayNotAsk();
      return permissionStore.heldByAnyone(holding, paging);
    },
    /**
     * A subject's permissions in a namespace: its own and those of its groups, merged by resource pattern.
     * @throws 403 unless callers ask about themselves or hold SHARE on everything there
     */
    async effective(
      subject: Subject,
      namespace: string,
      { offset, pageSize }: Paging,
      access: Access,
    ): Promise<Listing<Grant>> {
      const mayAsk = isOwn(subject, access) || (await access.may('SHARE', EVERYTHING, [namespace]));
      if (!mayAsk) throw errors.mayNotAsk();
      const joined = join(await permissionStore.grantsOf(subject, namespace));
      return { list: joined.slice(offset, offset + pageSize), total: joined.length };
    },
  };
}

export type Questions = ReturnType<typeof createQuestions>;

/** Copies field by field: in a thousand results, a spread would take most of the time. */
function withAnswer(question: Question, held: Grants): Answer {
  const { _user, _action, _irn, _namespace, _resource } = question;
  const _allowed = allows(held, _action, _irn, detailsOf(question));
  return { _user, _action, _irn, _namespace, _resource, _allowed };
}

const detailsOf = ({ _resource }: Question): Details | undefined => _resource && { fields: _resource };

/** Uses only the stored records, so that the reason fits the result. */
function withReason(question: Question, records: Permission[]): Answer {
  const { _action, _irn } = question;
  const patterns = new Set(coveringPatterns(_irn));
  const covering = records.filter(({ _resourceDesc }) => patterns.has(_resourceDesc._irn));
  const mayDo = (some: Permission[]) => allows(compileGrants(some.map(grantOf)), _action, _irn, detailsOf(question));
  const allowing = covering.filter((record) => hasSome(record, _action));
  const _allowed = mayDo(covering);
  const _reason: Reason = {
    _code: _allowed
      ? 'GRANTED'
      : covering.length === 0
        ? 'NO_PERMISSION'
        : allowing.length > 0
          ? 'NOT_ALL'
          : 'NO_ACTION',
    _permissionIds: (_allowed ? allowing : covering).map(({ _id }) => _id),
  };
  return { ...question, _allowed, _reason };
}

const grantOf = ({ _resourceDesc, _actions }: Permission): Grant => ({ ..._resourceDesc, _actions });
const hasSome = ({ _actions }: Permission, action: Question['_action']) =>
  action === '*' || _actions.includes('*') || _actions.includes(action);

/** Merges grants on the same resources, ordered by pattern. */
function join(grants: Grant[]): Grant[] {
  const groups = groupBy(grants, ({ _irn, _criteria, _subresourceDesc }) =>
    JSON.stringify([_irn, _criteria ?? null, _subresourceDesc ?? null]),
  );
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, same]) => {
      const held = new Set(same.flatMap(({ _actions }) => _actions));
      return { ...same[0], _actions: held.has('*') ? ['*'] : ACTIONS.filter((action) => held.has(action)) };
    });
}

/**
 * A key for the subject and namespace of a check. Consecutive checks usually share both, and comparing is much cheaper
 * than building a key.
 */
function createPlaceOf(): (question: Question) => string {
  let last: Question | undefined;
  let place = '';
  return (question) => {
    if (!last || !isSamePlace(last, question)) {
      const { _user, _namespace } = question;
      // Only the last part may contain a line break.
      place = `${_user._type}\n${_namespace}\n${_user._id}`;
      last = question;
    }
    return place;
  };
}

const isSamePlace = (one: Question, other: Question) =>
  one._namespace === other._namespace && one._user._id === other._user._id && one._user._type === other._user._type;
