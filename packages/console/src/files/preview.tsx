import { Code, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useText } from '../frame';
import { Loading, Pending } from '../ui';
import { MAX_BYTES, TEXT_BYTES, showingOf } from './entry';
import { textOf, useContent, useDerived, useObjectUrl } from './use-content';

const ModelView = lazy(() => import('../graphics/model-view'));

interface PreviewProps {
  id: string;
  versionId: string;
  name: string;
  size: number;
}

/** The content of a version, if the console can show it. HTML is shown as text, and SVG as an image without scripts. */
export function Preview(props: PreviewProps) {
  const { text, bytes } = useText();
  const { as } = showingOf(props.name);
  if (props.size === 0) return <Text>{text('files.isEmpty')}</Text>;
  if (as === 'text') return <TextPreview {...props} />;
  if (as === 'nothing') return <Text>{text('files.noPreview')}</Text>;
  if (props.size > MAX_BYTES) return <Text>{text('files.tooLarge', { limit: bytes(MAX_BYTES) })}</Text>;
  if (as !== 'model') return <Picture {...props} />;
  return (
    <Suspense fallback={<Loading />}>
      <ModelView file={props} />
    </Suspense>
  );
}

function Picture({ name, ...version }: PreviewProps) {
  const { text } = useText();
  const { as, type } = showingOf(name);
  const content = useContent(version);
  const url = useObjectUrl(content.data, type);
  if (url === undefined) return <Pending of={[content]} />;
  if (as === 'image') return <img className="file-preview" src={url} alt={name} />;
  return <iframe className="file-preview document" src={url} title={text('files.previewOf', { name })} />;
}

function TextPreview({ name, size, ...version }: PreviewProps) {
  const { text, bytes } = useText();
  const isCut = size > TEXT_BYTES;
  const content = useContent({ ...version, firstBytes: isCut ? TEXT_BYTES : undefined });
  const shown = useDerived(content.data, textOf);
  if (shown === undefined) return <Pending of={[content]} />;
  return (
    <Stack gap="xs">
      {isCut && <Text size="sm">{text('files.isCut', { limit: bytes(TEXT_BYTES) })}</Text>}
      <Code block className="output" tabIndex={0} role="region" aria-label={text('files.previewOf', { name })}>
        {shown}
      </Code>
    </Stack>
  );
}
