const KEYWORDS = (
  'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
  'import in is lambda nonlocal not or pass raise return try while with yield'
).split(' ');

export const isName = (text) => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.includes(text) && !/^__/.test(text);
export const pascal = (text) =>
  text.replaceAll(/(?:^[^A-Za-z0-9]*|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter) => letter.toUpperCase());
export const docstring = (text) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', "'");

/** The Python types of JSON schemas. Objects become `TypedDict`s, whose source is in `classes`. */
export function createPythonTypes() {
  const classes = new Map();

  /** @param name of the class, should the schema be an object */
  function typeOf(schema, name) {
    if (schema.$ref) return pascal(schema.$ref.split('/').at(-1));
    if ('const' in schema) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return union(choices.map((each, index) => typeOf(each, `${name}${index || ''}`)));
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, name)));
    return ofType(schema, name);
  }

  function ofType(schema, name) {
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${typeOf(schema.items ?? {}, `${name}Entry`)}]`;
      case 'object':
        return objectOf(schema, name);
      default:
        return 'Any';
    }
  }

  /** An object with any further fields is a dictionary: `TypedDict`s are closed. */
  function objectOf(schema, name) {
    const more = schema.additionalProperties;
    if (!schema.properties || (more !== undefined && more !== false))
      return `Dict[str, ${schema.properties || typeof more !== 'object' ? 'Any' : typeOf(more, `${name}Value`)}]`;
    if (classes.has(name)) throw new Error(`There are two schemas ${name}.`);
    classes.set(name, '');
    classes.set(name, classOf(schema, name));
    return name;
  }

  function classOf({ properties, required = [], description }, name) {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(schema, `${name}${pascal(field)}`);
      return { field, type: required.includes(field) ? type : `NotRequired[${type}]`, doc: schema.description };
    });
    if (!fields.every(({ field }) => isName(field))) return functional(name, fields);
    const lines = fields.map(
      ({ field, type, doc }) => `    ${field}: ${type}\n${doc ? `    """${docstring(doc)}"""\n` : ''}`,
    );
    const head = description ? `    """${docstring(description)}"""\n\n` : '';
    return `class ${name}(TypedDict):\n${head}${lines.join('') || '    pass\n'}`;
  }

  return {
    typeOf,
    /** Declares a schema of the reference. */
    declare(name, schema) {
      const type = typeOf(schema, pascal(name));
      if (type !== pascal(name))
        classes.set(pascal(name), `${pascal(name)}: TypeAlias = "${type.replaceAll('"', "'")}"\n`);
    },
    classes,
  };
}

/** For field names that are no identifiers. */
const functional = (name, fields) =>
  `${name} = TypedDict(\n    "${name}",\n    {\n` +
  fields.map(({ field, type }) => `        ${JSON.stringify(field)}: "${type.replaceAll('"', "'")}",\n`).join('') +
  '    },\n)\n';

const literal = (value) => (value === null ? 'None' : JSON.stringify(value));
const union = (types) => [...new Set(types)].join(' | ');
