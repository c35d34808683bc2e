import { Anchor } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useParameter } from '../address';

interface PageLinkProps {
  /** The path below the workspace, with parameters. */
  to: string;
  children: ReactNode;
}

/** The id of a resource in the path of the page; `id` is that of the workspace. */
export function useId(name: string): string {
  const parameters: Record<string, string> = useParams({ strict: false });
  return parameters[name]!;
}

/** Where a path below the workspace, with its parameters, leads: in the namespace that the user has chosen. */
export function usePlaceOf() {
  const id = useId('id');
  const [namespace] = useParameter('namespace');
  return (path: string) => {
    const { pathname, searchParams } = new URL(`/workspaces/${id}${path}`, location.origin);
    return { to: pathname, search: { ...(namespace !== '' && { namespace }), ...Object.fromEntries(searchParams) } };
  };
}

/** A link to another page of the workspace. */
export function PageLink({ to, children }: PageLinkProps) {
  const placeOf = usePlaceOf();
  return (
    <Anchor component={Link} {...placeOf(to)}>
      {children}
    </Anchor>
  );
}

/** Goes to another page of the workspace. */
export function useGo() {
  const placeOf = usePlaceOf();
  const navigate = useNavigate();
  return (path: string) => navigate(placeOf(path));
}
