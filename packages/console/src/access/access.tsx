import { Stack, Title } from '@mantine/core';
import type { EntryOf } from '@dtplatform/sdk';
import type { ReactNode } from 'react';
import { useCall, useChange, useNamespace, useRights, useText } from '../frame';
import { ConfirmButton, ResourceTable } from '../ui';
import { GrantButton } from './grant-button';
import { useAccessNames } from './names';
import type { Resource } from './names';
import { ResourceLink } from './resource-link';
import { ShareButton } from './share-button';
import { SubjectName, useSubject } from './subject';
import { WhyButton } from './why-button';

type Permission = EntryOf<'objectmodelsvc.permissions.holders'>;

interface AccessProps extends Resource {
  /** The folders above, whose permissions apply, too. */
  above?: Resource[];
}

/** Who may do what on a resource, with granting and revoking. A part of every detail page. */
export function Access({ irn, name, above = [] }: AccessProps) {
  const { text } = useText();
  const resource = { irn, name };
  const resources = [resource, ...above];
  const irns = resources.map((each) => each.irn);
  const [mayShare = false] = useRights(irns, ['SHARE']);
  const actions = (
    <>
      <WhyButton resources={resources} />
      {mayShare && <GrantButton resource={resource} />}
      {mayShare && <ShareButton resource={resource} />}
    </>
  );
  return (
    <Stack>
      <Holders
        resource={resource}
        scope={irn.includes('*') ? 'all' : 'covering'}
        mayShare={mayShare}
        actions={actions}
      />
      {above.map((folder) => (
        <section key={folder.irn}>
          <Title order={3} size="h5">
            {text('access.above', { name: folder.name })}
          </Title>
          <Holders resource={folder} scope="exact" mayShare={mayShare} />
        </section>
      ))}
    </Stack>
  );
}

interface HoldersProps {
  resource: Resource;
  /** Which permissions are listed: of a pattern, also those on parts of it. */
  scope: 'covering' | 'exact' | 'all';
  mayShare: boolean;
  actions?: ReactNode;
}

function Holders({ resource, scope, mayShare, actions }: HoldersProps) {
  const { text } = useText();
  const namespace = useNamespace()!;
  const { actionsName, resourceName } = useAccessNames([resource]);
  const revoke = {
    title: text('access.revoke'),
    value: (each: Permission) => <Revoke permission={each} on={resource} />,
  };
  return (
    <ResourceTable
      operation="objectmodelsvc.permissions.holders"
      input={{ query: { _namespace: namespace, '_resourceDesc._irn': resource.irn, scope } }}
      label={`${text('access.title')}: ${resource.name}`}
      idOf={({ _id }) => _id}
      columns={[
        {
          title: text('access.holder'),
          value: ({ _user }) => <SubjectName type={_user._type} id={_user._id} />,
          key: ({ _user }) => `${_user._type} ${_user._id}`,
        },
        { title: text('access.actions'), value: ({ _actions }) => actionsName(_actions) },
        {
          title: text('access.through'),
          value: ({ _resourceDesc: { _irn: held } }) => <ResourceLink irn={held} name={resourceName(held)} />,
          key: ({ _resourceDesc }) => _resourceDesc._irn,
        },
        ...(mayShare ? [revoke] : []),
      ]}
      empty={text('access.empty')}
      actions={actions}
    />
  );
}

function Revoke({ permission, on }: { permission: Permission; on: Resource }) {
  const { text } = useText();
  const { _user, _actions, _resourceDesc } = permission;
  const { actionsName, resourceName } = useAccessNames([on]);
  const holder = useSubject({ type: _user._type, id: _user._id }).name;
  const me = useCall('passportsvc.users.me', {}, { refreshMs: false });
  const revoke = useChange('objectmodelsvc.permissions.delete');
  const [actions, resource] = [actionsName(_actions), resourceName(_resourceDesc._irn)];
  return (
    <ConfirmButton
      label={text('access.revoke')}
      row={`${holder}, ${actions}`}
      onConfirm={() => revoke.mutateAsync({ path: { id: permission._id } })}
    >
      {text('access.revokeEffect', { holder, actions, resource })}
      {_user._id === me.data?._id && <p>{text('access.revokeOwn')}</p>}
    </ConfirmButton>
  );
}
