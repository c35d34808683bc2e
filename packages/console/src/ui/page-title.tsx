import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';

/** The heading of a page, which also names the tab of the browser. */
export function PageTitle({ children }: { children: string }) {
  useDocumentTitle(`${children} – dtplatform`);
  return <Title order={2}>{children}</Title>;
}
