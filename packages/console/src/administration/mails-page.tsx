import { Stack, Text } from '@mantine/core';
import { useChange, useParameter, useText } from '../frame';
import { FormButton, PageTitle, ResourceTable, Select } from '../ui';

const STATUSES = ['QUEUED', 'SENT', 'FAILED'] as const;

/** The status of the platform's mails, and a test mail. */
export function MailsPage() {
  const { text } = useText();
  const [status, setStatus] = useParameter('status');
  const send = useChange('passportsvc.mails.sendTest');
  const wanted = STATUSES.find((one) => one === status);
  return (
    <Stack>
      <PageTitle>{text('mails.title')}</PageTitle>
      <Text>{text('mails.help')}</Text>
      <Select
        aria-label={text('list.status')}
        data={[
          { value: '', label: text('mails.all') },
          ...STATUSES.map((value) => ({ value, label: text(`mails.${value}`) })),
        ]}
        value={wanted ?? ''}
        onChange={setStatus}
      />
      <ResourceTable
        operation="passportsvc.mails.list"
        input={{ query: wanted && { _status: wanted } }}
        label={text('mails.title')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('mails.to'), value: ({ _to }) => _to },
          { title: text('mails.subject'), value: ({ _subject }) => _subject },
          { title: text('list.status'), value: ({ _status }) => text(`mails.${_status}`) },
          { title: text('mails.reason'), value: ({ _reason }) => _reason },
          { title: text('mails.createdAt'), time: ({ _createdAt }) => _createdAt },
        ]}
        empty={text('mails.none')}
        actions={
          <FormButton
            label={text('mails.test')}
            submit={text('mails.send')}
            fields={[{ name: 'to', label: text('mails.to'), isRequired: true, maxLength: 320 }]}
            onSubmit={({ to = '' }) => send.mutateAsync({ body: { _to: to } })}
          />
        }
      />
    </Stack>
  );
}
