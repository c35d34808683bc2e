type Cell = string | number;

/** Rows as CSV. Spreadsheets run texts that begin like a formula, unless an apostrophe precedes them. */
export const csvOf = (rows: Cell[][]): string => rows.map((row) => row.map(cellOf).join(',')).join('\r\n') + '\r\n';

function cellOf(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = /^\s*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves a text as a file on the device of the user. */
export function saveText(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
