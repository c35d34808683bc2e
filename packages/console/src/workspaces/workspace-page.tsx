import { Anchor } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useCall, useId, useParameter, useText } from '../frame';
import { Pending, Select } from '../ui';
import { NamespaceContext } from '../calls';
import { SECTIONS } from '../sections';

/** The pages of one workspace, beside its navigation. */
export function WorkspacePage() {
  const { text } = useText();
  const id = useId('id');
  const workspace = useCall('passportsvc.workspaces.get', { path: { id } });
  const [chosen, choose] = useParameter('namespace');
  const namespaces = workspace.data?._namespaces ?? [];
  const namespace = namespaces.includes(chosen) ? chosen : namespaces[0];
  const { pathname } = useLocation();
  // On a phone, the navigation is a line that scrolls.
  useEffect(() => {
    const active = document.querySelector('.navigation .active');
    void active?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <div className="workspace">
      <nav className="navigation" aria-label={workspace.data?._name ?? text('workspaces.title')}>
        {namespaces.length > 1 && (
          <Select aria-label={text('workspaces.namespace')} data={namespaces} value={namespace} onChange={choose} />
        )}
        {SECTIONS.map(({ path, title }) => (
          <Anchor
            key={path}
            component={Link}
            to={`/workspaces/${id}${path}`}
            search={chosen === '' ? {} : { namespace: chosen }}
            activeOptions={{ exact: path === '', includeSearch: false }}
          >
            {text(title)}
          </Anchor>
        ))}
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        {namespace === undefined ? (
          <Pending of={[workspace]} />
        ) : (
          // Another namespace has no rows, selection or drafts of the last one.
          <NamespaceContext key={namespace} value={namespace}>
            <Outlet />
          </NamespaceContext>
        )}
      </main>
    </div>
  );
}
