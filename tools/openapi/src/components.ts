import { isDeepStrictEqual } from 'node:util';

export type Component = Record<string, unknown>;
type Section = 'schemas' | 'responses' | 'headers';

export interface Components {
  readonly sections: Record<Section, Record<string, Component>>;
  /** Adds a part. @returns a reference to it */
  add(section: Section, name: string, part: Component): { $ref: string };
  /** Whether a different part has this name. */
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

/** The components that something refers to, directly or indirectly. */
export function onlyUsed<S extends Record<string, Record<string, Component>>>(root: object, sections: S): S {
  const used = new Set<string>();
  const queue = referencesIn(root);
  for (let reference = queue.pop(); reference !== undefined; reference = queue.pop()) {
    if (used.has(reference)) continue;
    used.add(reference);
    const [section = '', name = ''] = reference.replace('#/components/', '').split('/');
    queue.push(...referencesIn(sections[section]?.[name] ?? {}));
  }
  const kept = Object.entries(sections).map(([section, parts]) => [
    section,
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`#/components/${section}/${name}`))),
  ]);
  return Object.fromEntries(kept) as S;
}

const referencesIn = (value: object) =>
  [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
