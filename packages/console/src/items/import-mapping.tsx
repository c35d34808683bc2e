import { Text } from '@mantine/core';
import { Input, Select } from '../ui';
import type { MessageKey } from '../messages/en';
import { useText } from '../frame';
import { itemOf, KINDS } from './csv';
import type { Kind, Mapping, Sheet } from './csv';

const PREVIEWED = 5;
const TITLES: Record<Kind, MessageKey> = {
  skip: 'import.skip',
  text: 'items.text',
  number: 'import.number',
  comma: 'import.comma',
  flag: 'import.flag',
  date: 'import.date',
};

/** What becomes of each column, and of the first rows. */
export function ImportMapping({ sheet, onChange }: { sheet: Sheet; onChange: (mappings: Mapping[]) => void }) {
  const { text } = useText();
  const { mappings, sample } = sheet;
  const change = (index: number, change: Partial<Mapping>) =>
    onChange(mappings.map((mapping, other) => (other === index ? { ...mapping, ...change } : mapping)));
  const previewed = sample.slice(0, PREVIEWED).map((row) => itemOf(row, mappings));
  const misfits = sample.flatMap((row) => itemOf(row, mappings).problem ?? []);
  const kinds = KINDS.map((value) => ({ value, label: text(TITLES[value]) }));
  return (
    <>
      <Text size="sm">{text('import.mapping')}</Text>
      <div className="rows" role="region" tabIndex={0} aria-label={text('import.preview')}>
        <table aria-label={text('import.preview')}>
          <thead>
            <tr>
              {mappings.map(({ header, field, kind }, index) => (
                <th key={index}>
                  <Text size="sm">{header}</Text>
                  <Select
                    miw={180}
                    aria-label={text('import.kindOf', { name: header })}
                    data={kinds}
                    value={kind}
                    onChange={(value) => change(index, { kind: value as Kind })}
                  />
                  <Input
                    aria-label={text('import.fieldOf', { name: header })}
                    disabled={kind === 'skip'}
                    value={field}
                    onChange={(value) => change(index, { field: value })}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {previewed.map(({ item }, row) => (
              <tr key={row}>
                {mappings.map(({ field, kind }, index) => (
                  <td key={index}>
                    {kind !== 'skip' && Object.hasOwn(item, field)
                      ? printedValue(item[field], sample[row]?.[index])
                      : ''}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {misfits.length > 0 && (
        <Text role="status" c="var(--mantine-color-error)">
          {text('import.misfits', { count: misfits.length, rows: sample.length, ...misfits[0] })}
        </Text>
      )}
    </>
  );
}

/** A value, or the cell that does not fit. */
const printedValue = (value: unknown, cell: string | undefined) =>
  value === undefined ? <Text c="var(--mantine-color-error)">⚠ {cell}</Text> : JSON.stringify(value);
