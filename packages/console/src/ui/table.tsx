import type { ReactNode } from 'react';

interface TableProps {
  /** Names the table for screen readers. */
  label: string;
  head: ReactNode[];
  rows: { key: string | number; cells: ReactNode[] }[];
  /** Whether the table has a border, and scrolls if it is long. */
  isBoxed?: boolean;
}

/** A table of what the page holds already. It scrolls sideways within the page. */
export const Table = ({ label, head, rows, isBoxed = false }: TableProps) => (
  <div className={isBoxed ? 'rows' : 'wide'} role="region" tabIndex={0} aria-label={label}>
    <table aria-label={label}>
      <thead>
        <tr>
          {head.map((title, column) => (
            <th key={column}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
