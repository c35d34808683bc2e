import { Code, Stack, Text, Title } from '@mantine/core';
import { useCall, useText } from '../frame';
import { Pending, Properties } from '../ui';
import { Difference } from '../ui/difference';
import { MAX_BYTES, showingOf, TEXT_BYTES } from './entry';
import type { Entry } from './entry';
import { Preview } from './preview';
import { useContent, useDerived, textOf } from './use-content';
import type { Version } from './versions';

/** Two versions side by side: their properties, and what differs in texts. */
export default function Comparison({ file, ids }: { file: Entry; ids: [string, string] }) {
  const { text } = useText();
  const { _id: id } = file;
  const one = useCall('filesvc.fileVersions.get', { path: { id, versionId: ids[0] } });
  const other = useCall('filesvc.fileVersions.get', { path: { id, versionId: ids[1] } });
  if (!one.data || !other.data) return <Pending of={[one, other]} />;
  const [older, newer] = one.data._version < other.data._version ? [one.data, other.data] : [other.data, one.data];
  const isText = showingOf(file._name).as === 'text';
  return (
    <section aria-label={text('versions.compare')}>
      <div className="halves">
        <Side file={file} version={older} />
        <Side file={file} version={newer} />
      </div>
      {isText && <Texts id={id} older={older} newer={newer} />}
    </section>
  );
}

function Side({ file: { _name: name }, version }: { file: Entry; version: Version }) {
  const { text, time, bytes } = useText();
  const { _id: versionId, _fileId: id, _fileSize: size, _metadata, _version } = version;
  const content = useContent({ id, versionId, isEnabled: size <= MAX_BYTES });
  const checksum = useDerived(content.data, checksumOf);
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text('versions.name', { version: _version })}
      </Title>
      <Properties
        of={[
          [text('list.size'), bytes(size)],
          ['SHA-256', checksum && <Code style={{ overflowWrap: 'anywhere' }}>{checksum}</Code>],
          [text('list.created'), `${time(_metadata._createdAt)}, ${_metadata._createdByName}`],
        ]}
      />
      {showingOf(name).as === 'image' && <Preview {...{ id, versionId, name, size }} />}
    </Stack>
  );
}

/** Of the content itself: the platform keeps only the checksum of the last upload. */
async function checksumOf(content: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await content.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function Texts({ id, older, newer }: { id: string; older: Version; newer: Version }) {
  const { text } = useText();
  const isEnabled = older._fileSize <= TEXT_BYTES && newer._fileSize <= TEXT_BYTES;
  const one = useContent({ id, versionId: older._id, isEnabled });
  const other = useContent({ id, versionId: newer._id, isEnabled });
  const [before, after] = [useDerived(one.data, textOf), useDerived(other.data, textOf)];
  if (!isEnabled) return <Text>{text('files.diffTooLong')}</Text>;
  if (before === undefined || after === undefined) return <Pending of={[one, other]} />;
  return <Difference before={before} after={after} />;
}
