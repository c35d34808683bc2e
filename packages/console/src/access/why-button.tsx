import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import type { EntryOf } from '@dtplatform/sdk';
import { callOptions, useCall, useNamespace, useText } from '../frame';
import { Failure, FormButton } from '../ui';
import { ACTIONS, useAccessNames } from './names';
import type { Resource } from './names';
import { subjectOf, useSubject } from './subject';
import type { Subject } from './subject';
import { useHolders } from './use-holders';
import type { Action } from './use-rights';

interface WhyProps {
  /** The resource, and the folders above whose permissions apply, too. */
  resources: Resource[];
}

/** Explains why somebody may or may not do something on a resource. */
export function WhyButton({ resources }: WhyProps) {
  const { text } = useText();
  const { field, holderOf, load } = useHolders();
  const choices = ACTIONS.map((value) => ({ value, label: text(`action.${value}`) }));
  return (
    <FormButton
      label={text('access.why')}
      variant="default"
      onOpen={load}
      title={text('access.whyTitle')}
      submit={text('form.close')}
      fields={[
        field,
        { ...{ name: 'action', label: text('access.action'), kind: 'choice', initial: 'READ' }, choices },
      ]}
      preview={({ holder = '', action = '' }) =>
        holder !== '' && <Answer resources={resources} holder={holderOf(holder)} action={action as Action} />
      }
      onSubmit={async () => undefined}
    />
  );
}

const DELAY_MS = 300;

function Answer({ resources, holder, action }: WhyProps & { holder: Subject; action: Action }) {
  const { text } = useText();
  const _namespace = useNamespace()!;
  const [typed] = useDebouncedValue(`${holder.type}:${holder.id}`, DELAY_MS);
  const subject = subjectOf(typed);
  const { name, isKnown } = useSubject(subject);
  const _user = { _type: subject.type, _id: subject.id };
  const answers = useCall(
    'objectmodelsvc.permissions.check',
    {
      query: { reasons: true },
      body: resources.map(({ irn: _irn }) => ({ _user, _action: action, _irn, _namespace })),
    },
    { isEnabled: isKnown },
  );
  const permissions = usePermissions(resources, isKnown);
  if (!isKnown) return <Text role="status">{text('access.unknown')}</Text>;
  if (answers.error) return <Failure error={answers.error} />;
  const list = answers.data?._list ?? [];
  const values = { holder: name, action: text(`action.${action}`) };
  if (list.length === 0) return undefined;
  if (!list.some(({ _allowed }) => _allowed)) return <Text role="status">{text('access.mayNot', values)}</Text>;
  const ids = new Set(list.flatMap(({ _allowed, _reason }) => (_allowed ? (_reason?._permissionIds ?? []) : [])));
  return (
    <div role="status">
      <Text>{text('access.may', values)}</Text>
      <ul>
        {permissions
          .filter(({ _id }) => ids.has(_id))
          .map((each) => (
            <Reason key={each._id} permission={each} subjectId={subject.id} resources={resources} />
          ))}
      </ul>
    </div>
  );
}

type Permission = EntryOf<'objectmodelsvc.permissions.holders'>;

/** The permissions that apply to any of the resources, each once. */
function usePermissions(resources: Resource[], enabled: boolean): Permission[] {
  const _namespace = useNamespace()!;
  const results = useQueries({
    queries: resources.map(({ irn }) => {
      const query = { _namespace, '_resourceDesc._irn': irn, _pageSize: 100 };
      return { ...callOptions(_namespace, 'objectmodelsvc.permissions.holders', { query }), enabled };
    }),
  });
  const all = results.flatMap(({ data }) => data?._list ?? []);
  return [...new Map(all.map((each) => [each._id, each])).values()];
}

function Reason({ permission, subjectId, resources }: WhyProps & { permission: Permission; subjectId: string }) {
  const { text } = useText();
  const { _user, _actions, _resourceDesc } = permission;
  const { actionsName, resourceName } = useAccessNames(resources);
  const group = useSubject({ type: _user._type, id: _user._id }).name;
  const values = { group, actions: actionsName(_actions), resource: resourceName(_resourceDesc._irn) };
  return <li>{text(_user._id === subjectId ? 'access.direct' : 'access.viaGroup', values)}</li>;
}
