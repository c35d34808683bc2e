/** What forms use of the JSON Schema of one parameter. */
export interface ParameterSchema {
  type?: unknown;
  enum?: unknown[];
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}
/** What forms use of the JSON Schema of the parameters of a component. */
export interface ComponentSchema {
  properties?: Record<string, ParameterSchema>;
  required?: string[];
  additionalProperties?: unknown;
}
export type Params = Record<string, unknown>;
/** The parameters as typed. Those that are not set are absent or empty. */
export type Typed = Record<string, string>;
/** Reads typed JSON, an object unless `isAny`. @throws what to show */
export type Parse = (typed: string, isAny?: boolean) => unknown;

/** Names the field for the parameters that the schema does not describe. */
export const OTHERS = '\0others';

type Kind = 'choice' | 'text' | 'number' | 'json';
/** The choices of a parameter; undefined if it has none. */
export const choicesOf = ({ type, enum: values }: ParameterSchema) =>
  values ?? (type === 'boolean' ? [true, false] : undefined);

export function kindOf(schema: ParameterSchema): Kind {
  if (choicesOf(schema)) return 'choice';
  if (schema.type === 'string') return 'text';
  return schema.type === 'number' || schema.type === 'integer' ? 'number' : 'json';
}

const printed = (value: unknown, schema: ParameterSchema) => {
  const isText = kindOf(schema) === 'text' && typeof value === 'string';
  return isText ? value : JSON.stringify(value, null, kindOf(schema) === 'json' ? 2 : undefined);
};

/** What the form shows for stored parameters. */
export function typedOf(params: Params, { properties = {} }: ComponentSchema): Typed {
  const known = Object.entries(params).filter(([name]) => Object.hasOwn(properties, name));
  const others = Object.entries(params).filter(([name]) => !Object.hasOwn(properties, name));
  return {
    ...Object.fromEntries(known.map(([name, value]) => [name, printed(value, properties[name]!)])),
    ...(others.length > 0 && { [OTHERS]: JSON.stringify(Object.fromEntries(others), null, 2) }),
  };
}

/** The parameters that were typed. The fields of the form check them, except for JSON. */
export function paramsOf(typed: Typed, { properties = {} }: ComponentSchema, parse: Parse): Params {
  const known = Object.entries(properties).flatMap(([name, schema]) => {
    const value = typed[name];
    if (!value) return [];
    const kind = kindOf(schema);
    if (kind === 'text') return [[name, value]];
    return [[name, kind === 'number' ? Number(value) : parse(value, schema.type !== 'object')]];
  });
  return { ...Object.fromEntries(known), ...(typed[OTHERS] && (parse(typed[OTHERS]) as Params)) } as Params;
}
