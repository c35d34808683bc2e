import { Group, Stack, Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useParameter } from '../address';
import { useText } from '../messages/text';
import { PageTitle } from './page-title';

/** A label and a value. Absent values are left out. */
type Property = [label: string, value: ReactNode];

interface DetailProps {
  title: string;
  properties?: Property[];
  actions?: ReactNode;
  /** The parts of the page, by the name that the address holds. */
  tabs?: Record<string, { label: string; content: ReactNode } | undefined>;
  children?: ReactNode;
}

/** The page of every single resource. */
export function Detail({ title, properties, actions, tabs = {}, children }: DetailProps) {
  const { text } = useText();
  const [tab] = useParameter('tab');
  const navigate = useNavigate();
  // Each part has a search and an order of its own.
  const open = (name: string | null) => {
    const search = ({ q: _q, order: _order, ...kept }: Record<string, unknown>) => ({ ...kept, tab: name });
    void navigate({ to: '.', search, replace: true });
  };
  const shown = Object.entries(tabs).flatMap(([name, part]) => (part ? [{ name, ...part }] : []));
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{title}</PageTitle>
        <Group gap="xs">{actions}</Group>
      </Group>
      {properties && <Properties of={properties} />}
      {children}
      {shown.length > 0 && (
        <Tabs value={tab || shown[0]!.name} onChange={open} keepMounted={false}>
          <Tabs.List aria-label={text('detail.parts')}>
            {shown.map(({ name, label }) => (
              <Tabs.Tab key={name} value={name}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {shown.map(({ name, content }) => (
            <Tabs.Panel key={name} value={name} pt="md">
              {content}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </Stack>
  );
}

export const Properties = ({ of: properties }: { of: Property[] }) => (
  <dl className="properties">
    {properties
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
