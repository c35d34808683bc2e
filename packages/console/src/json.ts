import { useText } from './messages/text';

/** Why a text is not a JSON object; undefined if it is one. */
export function problemOf(typed: string): string | undefined {
  try {
    const value: unknown = JSON.parse(typed);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : '{…}';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Reads JSON that the user has typed: an object, unless `isAny`. The function throws the error to show. */
export function useJson() {
  const { text } = useText();
  return <T = Record<string, unknown>>(typed: string, isAny = false): T => {
    const problem = problemOf(typed);
    if (problem === undefined || (isAny && problem === '{…}')) return JSON.parse(typed) as T;
    throw new Error(text(isAny ? 'form.badJson' : 'form.notJson', { problem }));
  };
}

/** JSON to read. */
export const printed = (value: unknown) => JSON.stringify(value, null, 2);

/** Stored text as JSON to read; the text itself, if it is none. */
export function reprinted(stored: string): string {
  try {
    return printed(JSON.parse(stored));
  } catch {
    return stored;
  }
}
