import { textOf } from './format.js';

/** Fields that the platform adds. */
const OWN = new Set(['_id', '_guid', '_metadata', '_related']);

/** Shows items with any fields: a field gets a column once an item has it. */
export function createTable(table: HTMLTableElement): { add: (item: object) => void } {
  const columns: string[] = [];
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  const body = table.createTBody();

  function addColumn(name: string): void {
    columns.push(name);
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = name;
    head.append(cell);
  }

  return {
    add(item) {
      const fields = new Map(Object.entries(item).filter(([name]) => !OWN.has(name)));
      for (const name of fields.keys()) if (!columns.includes(name)) addColumn(name);
      const row = body.insertRow();
      for (const name of columns) row.insertCell().textContent = textOf(fields.get(name));
    },
  };
}
