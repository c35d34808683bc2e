import { useNavigate, useSearch } from '@tanstack/react-router';

/** A value that the address of the page holds, so that a link leads to what the user sees. Empty if it is absent. */
export function useParameter(name: string): [string, (value: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const value = search[name];
  const set = (next: string) =>
    void navigate({
      to: '.',
      search: (previous: object) => ({ ...previous, [name]: next === '' ? undefined : next }),
      replace: true,
      resetScroll: false,
    });
  // A JSON object in a link that somebody wrote has been parsed already.
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  return [value === undefined ? '' : shown, set];
}
