import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { useText } from '../messages/text';
import { diffLines } from './diff-lines';

const TAGS = { added: 'ins', removed: 'del', same: 'span', gap: 'span' } as const;
const SIGNS = { added: '+ ', removed: '− ', same: '  ', gap: '⋯' };

/** The lines in which two texts differ. */
export function Difference({ before, after }: { before: string; after: string }) {
  const { text } = useText();
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  if (lines.length === 0) return <Text role="status">{text('diff.none')}</Text>;
  return (
    <pre className="output difference" tabIndex={0} role="region" aria-label={text('diff.title')}>
      {lines.map(({ kind, line }, index) => {
        const Tag = TAGS[kind];
        return <Tag key={index}>{`${SIGNS[kind]}${line}\n`}</Tag>;
      })}
    </pre>
  );
}
