/** Rows as lines of text, with a heading. */
export function table(
  rows: readonly Record<string, string | boolean | undefined>[],
  columns: readonly string[],
): string {
  const cells = rows.map((row) => columns.map((name) => String(row[name] ?? '')));
  const all = [columns.map((name) => name.replace('_', '')), ...cells];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}
