interface Shared {
  components?: { parameters?: Record<string, object> };
}

/** Replaces references to parameters in an OpenAPI document by the parameters. */
export function inlineParameters<T extends object>(document: T): T {
  const { components: { parameters = {}, ...components } = {}, ...rest } = document as T & Shared;
  const text = JSON.stringify({ ...rest, components }).replace(
    /\{"\$ref":"#\/components\/parameters\/([^"]+)"\}/g,
    (_, name: string) => JSON.stringify(parameters[name]),
  );
  return JSON.parse(text) as T;
}
