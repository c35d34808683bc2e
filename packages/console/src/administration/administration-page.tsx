import { Anchor } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { useText } from '../frame';
import { ADMINISTRATION } from '../sections';

/** The pages for administrators, beside their navigation. */
export function AdministrationPage() {
  const { text } = useText();
  return (
    <div className="workspace">
      <nav className="navigation" aria-label={text('administration.title')}>
        {ADMINISTRATION.map(({ path, title }) => (
          <Anchor key={path} component={Link} to={path}>
            {text(title)}
          </Anchor>
        ))}
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
