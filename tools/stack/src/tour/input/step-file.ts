/** A reference to an entity of the same file. */
export interface Ref {
  readonly ref: string;
}

/** An enumeration value or a typed value, written verbatim. */
export interface Raw {
  readonly raw: string;
}

/** A value in an entity: text, a real number, nothing (`$`), derived (`*`), references, lists. */
export type Value = string | number | null | Ref | Raw | readonly Value[];

export const raw = (text: string): Raw => ({ raw: text });
export const DERIVED = raw('*');

/** Writes a STEP physical file (ISO 10303-21) entity by entity. */
export class StepFile {
  readonly #lines: string[] = [];
  readonly #header: string;
  /** Characters of the entities so far. */
  length = 0;

  constructor(schema: string, name: string) {
    this.#header = `ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('ViewDefinition [ReferenceView_V1.2]'),'2;1');
FILE_NAME('${name}','2026-01-01T00:00:00',(''),(''),'dtplatform','dtplatform','');
FILE_SCHEMA(('${schema}'));
ENDSEC;
DATA;
`;
  }

  /** Adds an entity; `add('IFCDIRECTION', [0, 0, 1])`. */
  add(entity: string, ...values: Value[]): Ref {
    const ref = `#${this.#lines.length + 1}`;
    const line = `${ref}=${entity}${write(values)};\n`;
    this.#lines.push(line);
    this.length += line.length;
    return { ref };
  }

  toBuffer(): Buffer {
    return Buffer.from(`${this.#header}${this.#lines.join('')}ENDSEC;\nEND-ISO-10303-21;\n`, 'latin1');
  }
}

function write(value: Value): string {
  if (value === null) return '$';
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}.` : value.toFixed(3);
  if ('ref' in value) return value.ref;
  if ('raw' in value) return value.raw;
  let list = '';
  for (const entry of value) list += list === '' ? write(entry) : `,${write(entry)}`;
  return `(${list})`;
}
