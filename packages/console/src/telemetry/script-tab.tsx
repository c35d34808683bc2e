import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Output, Schemas } from '@dtplatform/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, printed, useCall, useChange, useJson, useNamespace, useRights, useText } from '../frame';
import { Failure, PageLink, Pending, shortNameOf } from '../ui';
import { Editor } from '../ui/editor';
import { FIRST_SCRIPT, sampleOf } from './sample';

interface ScriptProps {
  /** The type by which the configuration finds the script. */
  type: string;
  deviceType: string;
}

/** The script that turns messages into readings: an item of the class Script, whose latest version applies. */
export function ScriptTab({ type, deviceType }: ScriptProps) {
  const query = {
    query: { _itemClass: 'Script', _userType: type },
    sort: { '_metadata._createdAt': -1 },
    _pageSize: 1,
  };
  const scripts = useCall('itemsvc.items.list', { query: query as never });
  if (!scripts.data) return <Pending of={[scripts]} />;
  const [script] = scripts.data._list;
  return <Script key={script?._id ?? 'new'} script={script} type={type} deviceType={deviceType} />;
}

type Item = Output<'itemsvc.items.list'>['_list'][number];

function Script({ script, type, deviceType }: ScriptProps & { script?: Item }) {
  const { text } = useText();
  const data = script?._versions?.[0]?._userData;
  const stored = typeof data === 'string' ? data : undefined;
  const [edited, setEdited] = useState<string>();
  const [sample, setSample] = useState(() => sampleOf(deviceType));
  const current = edited ?? stored ?? FIRST_SCRIPT;
  return (
    <Stack>
      {script ? <Version script={script} /> : <Text>{text('script.missing', { type })}</Text>}
      <div className="halves">
        <Stack gap="xs">
          <Title order={3} size="h4">
            {text('items.script')}
          </Title>
          <Editor value={current} onChange={setEdited} language="javascript" label={text('items.script')} />
          <Save id={script?._id} type={type} current={current} isSaved={current === stored} />
        </Stack>
        <Stack gap="xs">
          <Title order={3} size="h4">
            {text('script.sample')}
          </Title>
          <Editor value={sample} onChange={setSample} language="json" label={text('script.sample')} />
          <Attempt script={current} sample={sample} />
        </Stack>
      </div>
    </Stack>
  );
}

function Version({ script: { _id, _name, _tipVersion = 1 } }: { script: Item }) {
  const { text } = useText();
  return (
    <Text>
      {text('script.version', { version: _tipVersion })} <PageLink to={`/items/${_id}`}>{_name}</PageLink>
    </Text>
  );
}

interface SaveProps {
  /** The id of the script; absent if there is none. */
  id?: string;
  type: string;
  current: string;
  isSaved: boolean;
}

/** Saves a text as the latest version, and creates the script if there is none. */
function Save({ id, type, current, isSaved }: SaveProps) {
  const { text } = useText();
  const namespace = useNamespace()!;
  const create = useChange('itemsvc.items.create');
  const add = useChange('itemsvc.versions.create');
  const [mayEdit] = useRights(`itemsvc:nameduseritem:${id ?? '*'}`, [id ? 'EDIT' : 'CREATE']);
  const save = useMutation({
    mutationFn: async (): Promise<unknown> => {
      if (id !== undefined) return add.mutateAsync({ path: { id }, body: { _userData: current } });
      const names = { _name: type, _shortName: shortNameOf(type), _userType: type, _description: '' };
      const item = { ...names, _itemClass: 'Script', _namespaces: [namespace], _version: { _userData: current } };
      return create.mutateAsync({ body: [item as Schemas['NewItem']] });
    },
  });
  return (
    <>
      {save.error && <Failure error={save.error} />}
      <Group>
        {mayEdit && (
          <Button disabled={isSaved} loading={save.isPending} onClick={() => save.mutate()}>
            {text(id === undefined ? 'script.create' : 'script.save')}
          </Button>
        )}
        <Text role="status">{text(isSaved ? 'form.saved' : 'script.unsaved')}</Text>
      </Group>
    </>
  );
}

/** Runs the script on the sample, without storing anything. */
function Attempt({ script, sample }: { script: string; sample: string }) {
  const { text } = useText();
  const namespace = useNamespace()!;
  const parse = useJson();
  const attempt = useMutation({
    mutationFn: () => {
      const body = { _script: script, _message: parse<unknown>(sample, true) };
      return client.in(namespace).call('itemsvc.scripts.evaluate', { body });
    },
  });
  const { _readings, _code, _reason, _tookMs } = attempt.data ?? {};
  return (
    <>
      <Group>
        <Button variant="default" loading={attempt.isPending} onClick={() => attempt.mutate()}>
          {text('script.try')}
        </Button>
      </Group>
      {attempt.error && <Failure error={attempt.error} />}
      {attempt.data && (
        <Stack gap="xs" role="status">
          <Text>
            {_code === undefined
              ? text('script.result', { count: _readings?.length ?? 0, ms: _tookMs ?? 0 })
              : text('script.failed', { code: _code, reason: _reason ?? '' })}
          </Text>
          {_readings && (
            <Code block tabIndex={0}>
              {printed(_readings)}
            </Code>
          )}
        </Stack>
      )}
    </>
  );
}
