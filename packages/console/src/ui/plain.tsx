import { Outlet } from '@tanstack/react-router';

/** A page outside of a workspace. */
export const Plain = () => (
  <main id="content" className="content" tabIndex={-1}>
    <Outlet />
  </main>
);
