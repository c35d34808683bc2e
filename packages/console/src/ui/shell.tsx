import { ActionIcon, Anchor, Button, Group, Title, useMantineColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { Select } from './inputs';
import { LANGUAGES, useText } from '../messages/text';
import type { Language } from '../messages/text';
import { isAdministrator, signOut } from '../session';
import { CodeButton } from './code-button';
import { Notice } from './notice';
import { PaletteButton } from './palette';

/** What surrounds every page. */
export function Shell() {
  const { text, language, choose } = useText();
  const { toggleColorScheme } = useMantineColorScheme({ keepTransitions: true });
  useHotkeys([['/', () => document.querySelector<HTMLInputElement>('.search input')?.focus()]]);
  return (
    <>
      <Anchor href="#content" className="skip">
        {text('app.skip')}
      </Anchor>
      <header className="header">
        <Title order={1} size="h4">
          <Anchor component={Link} to="/" inherit c="inherit">
            {text('app.title')}
          </Anchor>
        </Title>
        <Group gap="xs">
          <PaletteButton />
          <CodeButton />
          {isAdministrator() && (
            <Anchor component={Link} to="/administration/users">
              {text('administration.title')}
            </Anchor>
          )}
          <Anchor component={Link} to="/account">
            {text('account.title')}
          </Anchor>
          <Anchor href="/docs/">{text('app.docs')}</Anchor>
          <Select
            aria-label={text('app.language')}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            value={language}
            onChange={(value) => choose(value as Language)}
          />
          <ActionIcon variant="default" size="lg" aria-label={text('app.theme')} onClick={toggleColorScheme}>
            ◐
          </ActionIcon>
          <Button variant="default" onClick={() => void signOut()}>
            {text('app.signOut')}
          </Button>
        </Group>
      </header>
      <Outlet />
      <Notice />
    </>
  );
}
