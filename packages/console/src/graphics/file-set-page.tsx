import { Button, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Access } from '../access/access';
import { useCall, useChange, useGo, useId, useRights, useText } from '../frame';
import { ConfirmButton, Detail, Failure, Loading, Pending, ResourceTable, Select } from '../ui';
import { GRAPHICS_TAG, MAX_BYTES, bytesOf, showingOf } from '../files/entry';
import type { Entry } from '../files/entry';
import { useTagFiles } from './new-file-set';
import { useLoad } from './use-load';

const ModelView = lazy(() => import('./model-view'));

/** As many as the platform finds by their ids in one call. */
const MAX_SHOWN = 200;

/** One file set: its files with their loads, and a view of its models. */
export function FileSetPage() {
  const { text, time } = useText();
  const id = useId('setId');
  const go = useGo();
  const set = useCall('graphicssvc.filesets.get', { path: { id } });
  const remove = useChange('graphicssvc.filesets.delete');
  const [mayDelete] = useRights(['graphicssvc:fileset:*', `graphicssvc:fileset:${id}`], ['DELETE']);
  const ids = set.data?._fileIds.slice(0, MAX_SHOWN) ?? [];
  const input = { query: { _ids: ids, _pageSize: MAX_SHOWN } };
  const files = useCall('filesvc.files.list', input, { isEnabled: ids.length > 0 });
  if (!set.data || !(files.data || ids.length === 0)) return <Pending of={[set, files]} />;
  const list = files.data?._list ?? [];
  const { _name: name, _fileIds, _irn, _metadata } = set.data;
  return (
    <Detail
      title={name}
      properties={[
        [text('files.title'), _fileIds.length],
        [text('list.created'), `${time(_metadata._createdAt)}, ${_metadata._createdByName}`],
      ]}
      actions={
        <>
          <LoadButtons fileIds={_fileIds} files={list} />
          {mayDelete && (
            <ConfirmButton
              onConfirm={async () => {
                await remove.mutateAsync({ path: { id } });
                await go('/graphics');
              }}
            >
              {text('graphics.deleteEffect', { name, count: _fileIds.length })}
            </ConfirmButton>
          )}
        </>
      }
      tabs={{
        files: { label: text('files.title'), content: <SetFiles ids={ids} /> },
        view: { label: text('graphics.view'), content: <SetView files={list} /> },
        access: { label: text('access.title'), content: <Access irn={_irn} name={name} /> },
      }}
    />
  );
}

function LoadButtons({ fileIds, files }: { fileIds: string[]; files: Entry[] }) {
  const { text } = useText();
  const load = useChange('graphicssvc.filestore.load');
  const tag = useTagFiles();
  const [failure, setFailure] = useState<Error>();
  const untagged = files.filter(({ _tags }) => !_tags.includes(GRAPHICS_TAG));
  const start = () => load.mutateAsync({ body: fileIds.map((_fileId) => ({ _fileId })) });
  const act = (work: () => Promise<unknown>) => {
    setFailure(undefined);
    void work().catch(setFailure);
  };
  return (
    <>
      {failure && <Failure error={failure} />}
      {untagged.length > 0 && (
        <Button variant="default" title={text('graphics.tagHelp')} onClick={() => act(() => tag(untagged).then(start))}>
          {text('graphics.tagAndLoad', { count: untagged.length })}
        </Button>
      )}
      <Button loading={load.isPending} onClick={() => act(start)}>
        {text('graphics.load')}
      </Button>
    </>
  );
}

function SetFiles({ ids }: { ids: string[] }) {
  const { text, bytes } = useText();
  return (
    <ResourceTable
      operation="filesvc.files.list"
      input={{ query: { _ids: ids } }}
      label={text('files.title')}
      idOf={({ _id }) => _id}
      columns={[
        { title: text('form.name'), value: ({ _name }) => _name, to: ({ _id }) => `/files/${_id}` },
        { title: text('list.size'), value: ({ _fileVersion }) => bytes(_fileVersion?._fileSize) },
        { title: text('list.status'), value: ({ _id }) => <LoadState id={_id} /> },
      ]}
      empty={text('graphics.noFiles')}
    />
  );
}

function LoadState({ id }: { id: string }) {
  const { text } = useText();
  const load = useLoad(id);
  if (!load) return text('graphics.never');
  return [text(`graphics.${load._status}`), load._message].filter(Boolean).join(': ');
}

function SetView({ files }: { files: Entry[] }) {
  const { text } = useText();
  const readable = files.filter((file) => file._tipId !== undefined && (bytesOf(file) ?? 0) <= MAX_BYTES);
  const models = readable.filter(({ _name }) => showingOf(_name).as === 'model');
  const [chosen, setChosen] = useState('');
  const model = models.find(({ _id }) => _id === chosen) ?? models[0];
  if (!model) return <Text>{text('graphics.noModel')}</Text>;
  const sourceOf = ({ _id: id, _name: name, _tipId }: Entry) => ({ id, name, versionId: _tipId! });
  return (
    <Stack>
      {models.length > 1 && (
        <Select
          label={text('graphics.model')}
          data={models.map(({ _id, _name }) => ({ value: _id, label: _name }))}
          value={model._id}
          onChange={setChosen}
        />
      )}
      <Suspense fallback={<Loading />}>
        <ModelView key={model._id} file={sourceOf(model)} others={readable.map(sourceOf)} />
      </Suspense>
    </Stack>
  );
}
