import { isDeepStrictEqual } from 'node:util';

export type Component = Record<string, unknown>;
type Section = 'schemas' | 'responses' | 'headers';

/** The parts of a document that several operations share. */
export interface Components {
  readonly sections: Record<Section, Record<string, Component>>;
  /** Keeps a part. @returns a reference to it */
  add(section: Section, name: string, part: Component): { $ref: string };
  /** Whether another part has this name. */
  differs(section: Section, name: string, part: unknown): boolean;
}

export function createComponents(): Components {
  const sections: Components['sections'] = { schemas: {}, responses: {}, headers: {} };
  const differs = (section: Section, name: string, part: unknown) =>
    name in sections[section] && !isDeepStrictEqual(sections[section][name], part);
  return {
    sections,
    differs,
    add(section, name, part) {
      if (differs(section, name, part)) throw new Error(`There are two different ${section} named ${name}.`);
      sections[section][name] = part;
      return { $ref: `#/components/${section}/${name}` };
    },
  };
}
