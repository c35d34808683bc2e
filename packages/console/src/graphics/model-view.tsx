import { Button, Group, Stack, Text } from '@mantine/core';
import { downloadBlob } from '@dtplatform/sdk';
import { useEffect, useRef, useState } from 'react';
import type { Group as Model } from 'three';
import { client, useNamespace, useText } from '../frame';
import { Failure, Loading } from '../ui';
import { useContent } from '../files/use-content';
import { describe, readModel } from './model';
import { showModel } from './show-model';
import type { ShownModel } from './show-model';

interface SourceFile {
  id: string;
  versionId: string;
  name: string;
}

interface ModelViewProps {
  file: SourceFile;
  /** Files that the model may name. */
  others?: SourceFile[];
}

const NONE: SourceFile[] = [];

/** A view of a glTF or GLB model, and what it consists of as text. */
export default function ModelView({ file, others = NONE }: ModelViewProps) {
  const namespace = useNamespace()!;
  const content = useContent(file);
  const [model, setModel] = useState<Model>();
  const [error, setError] = useState<Error>();
  const sources = useRef(others);
  useEffect(() => {
    const readFile = (wanted: string) => {
      const source = sources.current.find(({ name }) => name === wanted);
      return source && downloadBlob(client.in(namespace), source);
    };
    void content.data
      ?.arrayBuffer()
      .then((bytes) => readModel(bytes, readFile))
      .then(setModel, setError);
  }, [content.data, namespace]);
  const failure = content.error ?? error;
  if (failure) return <Failure error={failure} />;
  if (!model) return <Loading />;
  return <Shown model={model} name={file.name} />;
}

const BUTTONS = ['turnLeft', 'turnRight', 'zoomIn', 'zoomOut', 'reset'] as const;
const MAX_NAMES = 100;

function Shown({ model, name }: { model: Model; name: string }) {
  const { text, number } = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useRef<ShownModel>(undefined);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    try {
      shown.current = showModel(canvas.current!, model);
    } catch (reason) {
      setError(reason as Error);
    }
    return () => shown.current?.dispose();
  }, [model]);
  const { names, triangles, size } = describe(model);
  const extent = size.map((each) => number(Number(each.toPrecision(3)))).join(' × ');
  const description = text('graphics.description', { parts: names.length, triangles: number(triangles), extent });
  return (
    <Stack gap="xs">
      {error ? (
        <Failure error={error} />
      ) : (
        <>
          <canvas
            ref={canvas}
            className="model"
            role="img"
            tabIndex={0}
            aria-label={text('graphics.canvas', { name, description })}
          />
          <Group gap="xs">
            {BUTTONS.map((action) => (
              <Button key={action} size="compact-sm" variant="default" onClick={() => shown.current?.[action]()}>
                {text(`graphics.${action}`)}
              </Button>
            ))}
          </Group>
        </>
      )}
      <Text>{description}</Text>
      <Text size="sm" c="dimmed">
        {text('graphics.keys')}
      </Text>
      <details>
        <summary>{text('graphics.parts')}</summary>
        <ul>
          {names.slice(0, MAX_NAMES).map((each, index) => (
            <li key={index}>{each || text('graphics.unnamed')}</li>
          ))}
        </ul>
      </details>
    </Stack>
  );
}
