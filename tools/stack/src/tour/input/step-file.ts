/** A reference to an entity of the same file. */
export interface Ref {
  readonly ref: string;
}

/** An enumeration value or a typed value, written as it is. */
export interface Raw {
  readonly raw: string;
}

/** What stands in an entity: text, a real number, nothing (`$`), derived (`*`), references, lists. */
export type Value = string | number | null | Ref | Raw | readonly Value[];

export const raw = (text: string): Raw => ({ raw: text });
export const DERIVED = raw('*');

/** Writes a STEP physical file (ISO 10303-21) entity by entity. */
export class StepFile {
  readonly #lines: string[];
  #lastId = 0;
  #length = 0;

  constructor(schema: string, name: string) {
    this.#lines = [
      'ISO-10303-21;',
      'HEADER;',
      "FILE_DESCRIPTION(('ViewDefinition [ReferenceView_V1.2]'),'2;1');",
      `FILE_NAME('${name}','2026-01-01T00:00:00',(''),(''),'dtplatform','dtplatform','');`,
      `FILE_SCHEMA(('${schema}'));`,
      'ENDSEC;',
      'DATA;',
    ];
  }

  /** Characters of the entities so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds an entity; `add('IFCDIRECTION', [0, 0, 1])`. */
  add(entity: string, ...values: Value[]): Ref {
    const id = `#${(this.#lastId += 1)}`;
    const line = `${id}=${entity}(${values.map(write).join(',')});`;
    this.#lines.push(line);
    this.#length += line.length + 1;
    return { ref: id };
  }

  /** The whole file. */
  toBuffer(): Buffer {
    return Buffer.from([...this.#lines, 'ENDSEC;', 'END-ISO-10303-21;', ''].join('\n'), 'ascii');
  }
}

function write(value: Value): string {
  if (value === null) return '$';
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}.` : value.toFixed(3);
  if ('ref' in value) return value.ref;
  if ('raw' in value) return value.raw;
  return `(${value.map(write).join(',')})`;
}
