import { useCall, useChange, useGo, useId, useRights, useText } from '../frame';
import { ConfirmButton, Detail, EditButton, FormButton, Pending, ResourceTable, useNameFields } from '../ui';

/** One group with its members and invites. */
export function GroupPage() {
  const { text, time } = useText();
  const id = useId('groupId');
  const go = useGo();
  const group = useCall('passportsvc.usergroups.get', { path: { id } });
  const update = useChange('passportsvc.usergroups.update');
  const remove = useChange('passportsvc.usergroups.delete');
  const [mayEdit, mayDelete] = useRights(`passportsvc:usergroup:${id}`, ['EDIT', 'DELETE'], group.data?._namespaces[0]);
  const fields = useNameFields(group.data?._name, group.data?._description);
  if (!group.data) return <Pending of={[group]} />;
  const { _name: name = id, _description, _metadata } = group.data;
  return (
    <Detail
      title={name}
      properties={[
        [text('form.description'), _description],
        [text('list.created'), `${time(_metadata._createdAt)}, ${_metadata._createdByName}`],
      ]}
      actions={
        <>
          {mayEdit && <EditButton fields={fields} onSubmit={(body) => update.mutateAsync({ path: { id }, body })} />}
          {mayDelete && (
            <ConfirmButton
              onConfirm={async () => {
                await remove.mutateAsync({ path: { id } });
                await go('/groups');
              }}
            >
              {text('groups.deleteEffect', { name })}
            </ConfirmButton>
          )}
        </>
      }
      tabs={{
        members: { label: text('groups.members'), content: <Members id={id} mayEdit={mayEdit} /> },
        invites: { label: text('invites.title'), content: <Invites id={id} mayEdit={mayEdit} /> },
      }}
    />
  );
}

interface PartProps {
  id: string;
  mayEdit?: boolean;
}

function Members({ id, mayEdit }: PartProps) {
  const { text } = useText();
  const remove = useChange('passportsvc.usergroups.removeMembers');
  return (
    <ResourceTable
      operation="passportsvc.usergroups.listMembers"
      input={{ path: { id } }}
      label={text('groups.members')}
      idOf={({ _id }) => _id}
      columns={[
        { title: text('form.name'), value: ({ _firstname, _lastname }) => `${_firstname} ${_lastname}` },
        { title: text('invites.email'), value: ({ _email }) => _email },
        {
          title: text('form.remove'),
          value: ({ _id, _email }) =>
            mayEdit && (
              <ConfirmButton
                label={text('form.remove')}
                row={_email}
                onConfirm={() => remove.mutateAsync({ path: { id }, query: { _ids: [_id] } } as never)}
              >
                {text('groups.removeEffect', { name: _email })}
              </ConfirmButton>
            ),
        },
      ]}
      empty={text('groups.noMembers')}
    />
  );
}

function Invites({ id, mayEdit }: PartProps) {
  const { text } = useText();
  const invite = useChange('passportsvc.invites.create');
  const change = useChange('passportsvc.invites.change');
  return (
    <ResourceTable
      operation="passportsvc.invites.list"
      input={{ path: { id } }}
      label={text('invites.title')}
      idOf={({ _id }) => _id}
      columns={[
        { title: text('invites.email'), value: ({ _email }) => _email },
        { title: text('list.status'), value: ({ _status }) => text(`invites.${_status}`) },
        { title: text('invites.expires'), time: ({ _expiresAt }) => _expiresAt },
        {
          title: text('invites.cancel'),
          value: ({ _id, _email, _status }) =>
            mayEdit &&
            _status === 'PENDING' && (
              <ConfirmButton
                label={text('invites.cancel')}
                row={_email}
                onConfirm={() => change.mutateAsync({ path: { id: _id }, body: { _status: 'CANCELLED' } } as never)}
              >
                {text('invites.cancelEffect', { name: _email })}
              </ConfirmButton>
            ),
        },
      ]}
      empty={text('invites.empty')}
      actions={
        mayEdit && (
          <FormButton
            label={text('invites.create')}
            done={text('invites.sent')}
            submit={text('invites.create')}
            fields={[
              {
                ...{ name: '_email', label: text('invites.email'), kind: 'email', isRequired: true },
                help: text('invites.help'),
              },
            ]}
            onSubmit={({ _email = '' }) => invite.mutateAsync({ path: { id }, body: [{ _email }] })}
          />
        )
      }
    />
  );
}
