import { Code, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { EntryOf, Input } from '@dtplatform/sdk';
import { useState } from 'react';
import { useCall, useChange, useText } from '../frame';
import { FormButton, Pending, ResourceTable, Select } from '../ui';

const OCCASIONS = ['USER_GROUP_INVITE', 'USER_GROUP_INVITE_REMINDER'] as const;
const FORMATS = ['text/html', 'text/plain'] as const;
const TYPING_MS = 400;

type Template = EntryOf<'passportsvc.notificationTemplates.list'>;
type Draft = Input<'passportsvc.notificationTemplates.preview'>['body'];

/** The texts of an app's invite mails. */
export function Templates({ appId }: { appId: string }) {
  const { text } = useText();
  const [occasion, setOccasion] = useState<string>(OCCASIONS[0]);
  const _name = OCCASIONS.find((one) => one === occasion) ?? OCCASIONS[0];
  return (
    <Stack component="section" gap="xs">
      <h3>{text('templates.title')}</h3>
      <Select
        aria-label={text('templates.occasion')}
        data={OCCASIONS.map((value) => ({ value, label: text(`templates.${value}`) }))}
        value={_name}
        onChange={setOccasion}
      />
      <ResourceTable
        operation="passportsvc.notificationTemplates.list"
        input={{ query: { _name, _appId: appId } }}
        label={text('templates.title')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('templates.subject'), value: ({ _title }) => _title },
          { title: text('templates.language'), value: ({ _locale }) => _locale },
          { title: text('templates.format'), value: ({ _format }) => _format },
          { title: text('form.edit'), value: (template) => <Edit template={template} /> },
          { title: text('mails.test'), value: ({ _id }) => <Test id={_id} /> },
        ]}
        empty={text('templates.none')}
      />
    </Stack>
  );
}

function Edit({ template: { _id, _name, _title, _message, _format } }: { template: Template }) {
  const { text } = useText();
  const update = useChange('passportsvc.notificationTemplates.update');
  const formats = FORMATS.map((value) => ({ value, label: value }));
  const draftOf = (values: Partial<Record<string, string>>): Draft => ({
    ...{ _title: values._title ?? '', _message: values._message ?? '' },
    _format: values._format === 'text/plain' ? 'text/plain' : 'text/html',
  });
  return (
    <FormButton
      label={text('form.edit')}
      submit={text('form.save')}
      variant="default"
      fields={[
        { name: '_title', label: text('templates.subject'), isRequired: true, maxLength: 255, initial: _title },
        {
          ...{ name: '_message', label: text('templates.message'), kind: 'lines', isRequired: true },
          ...{ help: text('templates.variables'), initial: _message },
        },
        {
          ...{ name: '_format', label: text('templates.format'), kind: 'choice', choices: formats },
          initial: _format,
        },
      ]}
      preview={(values) => <Preview draft={draftOf(values)} />}
      onSubmit={(values) => update.mutateAsync({ path: { id: _id }, body: { _name, ...draftOf(values) } })}
    />
  );
}

/** What the mail looks like, with values of an example. */
function Preview({ draft }: { draft: Draft }) {
  const { text } = useText();
  const [body] = useDebouncedValue(draft, TYPING_MS);
  const isComplete = body._title.trim() !== '' && body._message !== '';
  const preview = useCall('passportsvc.notificationTemplates.preview', { body }, { isEnabled: isComplete });
  if (!isComplete) return null;
  if (!preview.data) return <Pending of={[preview]} />;
  const { _subject, _text, _html } = preview.data;
  return (
    <Stack gap="xs" component="section" aria-label={text('templates.preview')}>
      <Text fw="bold">{_subject}</Text>
      {_html !== undefined && (
        <iframe
          sandbox=""
          srcDoc={_html}
          title={text('templates.html')}
          style={{ border: '1px solid', width: '100%' }}
        />
      )}
      <Code block tabIndex={0} aria-label={text('templates.text')}>
        {_text}
      </Code>
    </Stack>
  );
}

function Test({ id }: { id: string }) {
  const { text } = useText();
  const send = useChange('passportsvc.mails.sendTest');
  return (
    <FormButton
      variant="default"
      label={text('mails.test')}
      submit={text('mails.send')}
      fields={[{ name: 'to', label: text('mails.to'), isRequired: true, maxLength: 320 }]}
      onSubmit={({ to = '' }) => send.mutateAsync({ body: { _to: to, _templateId: id } })}
    />
  );
}
