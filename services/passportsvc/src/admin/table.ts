export type Cell = string | number | boolean | undefined;

/** Callers of the API choose these names: control characters must not reach the operator's terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD');

export function table(rows: readonly Record<string, Cell>[], columns: readonly string[]): string {
  const cells = rows.map((row) => columns.map((name) => printable(String(row[name] ?? ''))));
  const all = [columns.map((name) => name.replace('_', '')), ...cells];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}
