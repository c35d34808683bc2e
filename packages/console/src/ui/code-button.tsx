import { Button, Code, CopyButton, Group, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call } from '../calls';
import { CODE } from '../code';
import { useText } from '../messages/text';
import { Dialog } from './dialog';

/** Shows the calls behind the page: what it reads, and what the user has changed last. */
export function CodeButton() {
  const { text } = useText();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        {text('code.open')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={text('code.title')} size="xl">
        <Calls />
      </Dialog>
    </>
  );
}

const MAX_CHANGES = 3;

function useCalls(): Call[] {
  const queries = useQueryClient();
  const reads = queries.getQueryCache().findAll({ type: 'active' });
  const changes = queries.getMutationCache().getAll();
  return [
    ...changes
      .filter(({ options }) => options.mutationKey)
      .slice(-MAX_CHANGES)
      .map(({ options, state }) => [...options.mutationKey!, withoutSecrets(state.variables)] as unknown as Call),
    ...reads.map(({ queryKey }) => queryKey as unknown as Call),
  ];
}

/** What the user typed as a secret is not shown again. */
const withoutSecrets = (input: unknown = {}): unknown =>
  JSON.parse(JSON.stringify(input, (key, value: unknown) => (key === 'clientSecret' ? '$CLIENT_SECRET' : value)));

function Calls() {
  const { text } = useText();
  const [calls] = useState(useCalls());
  if (calls.length === 0) return <Text>{text('code.none')}</Text>;
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List>
        {Object.keys(CODE).map((way) => (
          <Tabs.Tab key={way} value={way}>
            {way}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(CODE).map(([way, print]) => (
        <Tabs.Panel key={way} value={way} pt="md">
          <Stack>
            {calls.map((call) => (
              <Snippet key={JSON.stringify(call)} name={call[1]} code={print(call)} />
            ))}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Snippet({ name, code }: { name: string; code: string }) {
  const { text } = useText();
  return (
    <div role="group" aria-label={name}>
      <Group justify="space-between">
        <Text size="sm">{name}</Text>
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy}>
              {text(copied ? 'code.copied' : 'code.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block tabIndex={0}>
        {code}
      </Code>
    </div>
  );
}
