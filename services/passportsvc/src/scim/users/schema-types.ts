/** A SCIM attribute and its characteristics (RFC 7643, section 7). */
export interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex';
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: 'readWrite' | 'readOnly' | 'writeOnly';
  returned: 'always' | 'default' | 'never';
  uniqueness: 'none' | 'server' | 'global';
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: Attribute[];
}

type Options = Partial<Omit<Attribute, 'name' | 'description'>>;

export const text = (name: string, description: string, options: Options = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

export const complex = (name: string, description: string, subAttributes: Attribute[], options: Options = {}) =>
  text(name, description, { type: 'complex', subAttributes, ...options });

/** A multi-valued attribute with the usual sub-attributes (RFC 7643, section 2.4). */
export const plural = (
  name: string,
  description: string,
  { value, types, options = {} }: { value: string; types?: string[]; options?: Options },
): Attribute =>
  complex(
    name,
    description,
    [
      text('value', value, options),
      text('display', 'The display name of the value.'),
      typeOf('value', types),
      text('primary', 'Whether it is the preferred value. At most one can be.', { type: 'boolean' }),
    ],
    { multiValued: true },
  );

/** @param types the canonical values */
export const typeOf = (what: string, types?: string[]): Attribute =>
  types
    ? text('type', `The kind of the ${what}: ${types.join(', ')}, or any other word.`, { canonicalValues: types })
    : text('type', `The kind of the ${what}, chosen by the caller.`);
