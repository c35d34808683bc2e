import { ActionIcon, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { problemOf, useNamespace, useText } from '../frame';
import { dayOf, FormButton, Input } from '../ui';
import { Editor } from '../ui/editor';
import type { Item } from './model';

const OPERATORS =
  '$eq $ne $gt $gte $lt $lte $in $nin $exists $type $size $mod $all $not $elemMatch $regex $options $and $or $nor $text $search';
const OF_PLATFORM = ['_id', '_metadata._updatedAt', '_metadata._createdAt', '_metadata._updatedById'];
const CHANGED = '_metadata._updatedAt';

interface QueryProps {
  item: Item;
  fields: string[];
  value: string;
  onRun: (query: string) => void;
}

/** The query of the table, with names to complete, and those that the user has saved. */
export function QueryField({ item, fields, value, onRun }: QueryProps) {
  const { text } = useText();
  const [draft, setDraft] = useState(value);
  const [last, setLast] = useState(value);
  if (last !== value) {
    setLast(value);
    setDraft(value);
  }
  const [isChecked, setChecked] = useState(false);
  const found = draft.trim() === '' ? undefined : problemOf(draft);
  // Half a query is wrong, but not while it is being typed.
  const problem = isChecked ? found : undefined;
  const run = () => {
    setChecked(found !== undefined);
    if (found === undefined) onRun(draft.trim());
  };
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm">{text('items.query')}</Text>
        <Editor
          language="json"
          label={text('items.query')}
          value={draft}
          onChange={setDraft}
          onSubmit={run}
          completions={[...fields, ...OF_PLATFORM, ...OPERATORS.split(' ')].map((label) => ({ label }))}
        />
        <Text size="sm" c={problem === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
          {problem === undefined ? text('items.queryHelp') : text('form.notJson', { problem })}
        </Text>
      </div>
      <Group align="end" gap="xs">
        <Button onClick={run}>{text('items.run')}</Button>
        {value !== '' && (
          <Button variant="default" onClick={() => onRun('')}>
            {text('items.clear')}
          </Button>
        )}
        <ChangedBefore query={value} onChange={onRun} />
        <SavedQueries id={item._id} query={value} />
      </Group>
    </Stack>
  );
}

/** Adds to a query that nothing has changed since a day. */
function ChangedBefore({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const { text } = useText();
  if (query !== '' && problemOf(query) !== undefined) return undefined;
  const { [CHANGED]: test, ...others } = JSON.parse(query || '{}') as Record<string, { $lt?: number } | undefined>;
  return (
    <DayInput
      label={text('items.unchangedSince')}
      day={test?.$lt === undefined ? '' : dayOf(new Date(test.$lt))}
      onChange={(value) => {
        const next = value === '' ? others : { ...others, [CHANGED]: { $lt: new Date(`${value}T00:00`).getTime() } };
        onChange(Object.keys(next).length === 0 ? '' : JSON.stringify(next));
      }}
    />
  );
}

/** A date, which counts once it is complete: a year that is being typed begins with zeros. */
function DayInput({ label, day, onChange }: { label: string; day: string; onChange: (day: string) => void }) {
  const [typed, setTyped] = useState(day);
  const [last, setLast] = useState(day);
  if (last !== day) {
    setLast(day);
    setTyped(day);
  }
  return (
    <Input
      type="date"
      label={label}
      value={typed}
      onChange={(value) => {
        setTyped(value);
        if (!value.startsWith('0')) onChange(value);
      }}
    />
  );
}

function SavedQueries({ id, query }: { id: string; query: string }) {
  const { text } = useText();
  const key = `console:queries:${useNamespace()}:${id}`;
  const [saved, setSaved] = useLocalStorage<Record<string, string>>({
    key,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  return (
    <>
      {query !== '' && (
        <FormButton
          label={text('items.saveQuery')}
          variant="default"
          submit={text('form.save')}
          fields={[{ name: 'name', label: text('form.name'), isRequired: true, maxLength: 100 }]}
          onSubmit={async ({ name = '' }) => setSaved((queries) => ({ ...queries, [name]: query }))}
        />
      )}
      {Object.entries(saved).map(([name, query]) => (
        <Group key={name} gap={4}>
          <Anchor component={Link} to={'.'} search={(before: object) => ({ ...before, query })}>
            {name}
          </Anchor>
          <ActionIcon
            variant="default"
            aria-label={text('items.deleteQuery', { name })}
            onClick={() => setSaved(({ [name]: _, ...others }) => others)}
          >
            ×
          </ActionIcon>
        </Group>
      ))}
    </>
  );
}
