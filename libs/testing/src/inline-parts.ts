interface Shared {
  components?: Record<string, Record<string, object>>;
}

/**
 * Replaces references to the parts that the operations of an OpenAPI document share by the parts: parameters, examples,
 * and responses whose name begins with a status.
 */
export function inlineParts<T extends object>(document: T): T {
  const { components = {}, ...rest } = document as T & Shared;
  const { examples, parameters, ...others } = components;
  const sections: Record<string, Record<string, object> | undefined> = { ...others, examples, parameters };
  const reference = /\{"\$ref":"#\/components\/(examples|parameters|responses(?=\/\d))\/([^"]+)"\}/g;
  const inline = (text: string): string =>
    text.replace(reference, (_, section: string, name: string) => inline(JSON.stringify(sections[section]?.[name])));
  return JSON.parse(inline(JSON.stringify({ ...rest, components: others }))) as T;
}
