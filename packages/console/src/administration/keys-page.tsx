import { Stack, Text } from '@mantine/core';
import { useChange, useText } from '../frame';
import { ConfirmButton, PageTitle, ResourceTable } from '../ui';

/** The keys that sign tokens, and their rotation. */
export function KeysPage() {
  const { text } = useText();
  const rotate = useChange('passportsvc.signingKeys.rotate');
  const retire = useChange('passportsvc.signingKeys.retire');
  return (
    <Stack>
      <PageTitle>{text('keys.title')}</PageTitle>
      <Text>{text('keys.help')}</Text>
      <ResourceTable
        operation="passportsvc.signingKeys.list"
        label={text('keys.title')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('keys.id'), value: ({ _id }) => _id },
          { title: text('keys.algorithm'), value: ({ _algorithm }) => _algorithm },
          { title: text('list.status'), value: ({ _state }) => text(`keys.${_state}`) },
          { title: text('keys.activeFrom'), time: ({ _activeFrom }) => _activeFrom },
          { title: text('keys.until'), time: ({ _until }) => _until },
          {
            title: text('form.remove'),
            value: ({ _id, _state }) =>
              _state === 'expired' && (
                <ConfirmButton
                  label={text('form.remove')}
                  row={_id}
                  onConfirm={() => retire.mutateAsync({ path: { id: _id } })}
                >
                  {text('keys.removeEffect')}
                </ConfirmButton>
              ),
          },
        ]}
        empty={text('keys.none')}
        actions={
          <ConfirmButton label={text('keys.rotate')} onConfirm={() => rotate.mutateAsync({})}>
            {text('keys.rotateEffect')}
          </ConfirmButton>
        }
      />
    </Stack>
  );
}
