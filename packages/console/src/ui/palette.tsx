import { Button, NavLink, Stack, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Input } from './inputs';
import { useCall } from '../calls';
import { useText } from '../messages/text';
import { ADMINISTRATION, SECTIONS } from '../sections';
import { isAdministrator } from '../session';
import { Dialog } from './dialog';

/** The command palette: leads to every page and workspace by a few letters. */
export function PaletteButton() {
  const { text } = useText();
  const [isOpen, { open, close }] = useDisclosure();
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button variant="default" onClick={open} aria-keyshortcuts="Control+K">
        {text('palette.open')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={text('palette.title')}>
        <Palette onClose={close} />
      </Dialog>
    </>
  );
}

function usePlaces(typed: string) {
  const { text } = useText();
  const { id }: { id?: string } = useParams({ strict: false });
  const workspaces = useCall('passportsvc.workspaces.list', {
    query: { _pageSize: 10, ...(typed !== '' && { query: typed }) },
  });
  const pages = [
    ...(id === undefined
      ? []
      : SECTIONS.map(({ path, title }) => ({ label: text(title), to: `/workspaces/${id}${path}` }))),
    ...(isAdministrator() ? ADMINISTRATION.map(({ path, title }) => ({ label: text(title), to: path })) : []),
    { label: text('workspaces.title'), to: '/' },
    { label: text('account.title'), to: '/account' },
  ].filter(({ label }) => label.toLocaleLowerCase().includes(typed.toLocaleLowerCase()));
  const found = workspaces.data?._list ?? [];
  return [...pages, ...found.map(({ _id, _name }) => ({ label: _name ?? _id, to: `/workspaces/${_id}` }))];
}

function Palette({ onClose }: { onClose: () => void }) {
  const { text } = useText();
  const [typed, setTyped] = useState('');
  const [position, setPosition] = useState(0);
  const navigate = useNavigate();
  const places = usePlaces(typed);
  const chosen = Math.min(position, places.length - 1);
  const go = (to: string) => {
    onClose();
    void navigate({ to });
  };
  return (
    <Stack gap="xs">
      <Input
        aria-label={text('palette.title')}
        placeholder={text('palette.help')}
        data-autofocus
        value={typed}
        onChange={setTyped}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setPosition(Math.min(chosen + 1, places.length - 1));
          if (event.key === 'ArrowUp') setPosition(Math.max(chosen - 1, 0));
          if (event.key === 'Enter' && places[chosen]) go(places[chosen].to);
        }}
      />
      {places.length === 0 && <Text>{text('list.noMatch')}</Text>}
      <nav aria-label={text('palette.title')}>
        {places.map(({ label, to }, index) => (
          <NavLink
            key={`${to} ${label}`}
            component="button"
            label={label}
            active={index === chosen}
            variant="light"
            color="gray"
            onClick={() => go(to)}
          />
        ))}
      </nav>
    </Stack>
  );
}
