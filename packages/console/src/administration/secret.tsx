import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useText } from '../frame';
import { Dialog } from '../ui';

/** Shows a secret that the platform returns only once. */
export function Secret({ value, onClose }: { value: string | undefined; onClose: () => void }) {
  const { text } = useText();
  return (
    <Dialog isOpen={value !== undefined} onClose={onClose} title={text('apps.secret')}>
      <Stack>
        <Text>{text('apps.secretOnce')}</Text>
        <Code block>{value}</Code>
        <Group justify="flex-end">
          <CopyButton value={value ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {text(copied ? 'code.copied' : 'code.copy')}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{text('form.close')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
