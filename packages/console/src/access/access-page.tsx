import { Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Input, PageTitle } from '../ui';
import { useParameter, useText } from '../frame';
import { Access } from './access';
import { useAccessNames } from './names';

/** Who may do what in the workspace, or on a resource that is typed. */
export function AccessPage() {
  const { text } = useText();
  const { resourceName } = useAccessNames();
  const [typed, setTyped] = useParameter('resource');
  const [resource] = useDebouncedValue(typed || '*:*:*', 300);
  return (
    <Stack>
      <PageTitle>{text('access.title')}</PageTitle>
      <Input
        label={text('access.resource')}
        description={text('access.resourceHelp')}
        value={typed}
        placeholder="*:*:*"
        onChange={setTyped}
      />
      <Access irn={resource} name={resourceName(resource)} />
    </Stack>
  );
}
