import { namespaceFilterOf, NAMESPACES } from './callable.mjs';
import { docstring, isName, pascal } from './python-schemas.mjs';

/** Parameters that the client fills in itself. */
const OWN = ['Idempotency-Key', 'Prefer'];

export const snake = (text) =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
/** Like `python_name` in the package. */
export const argumentOf = ({ name, in: place }) => {
  const argument = name.replaceAll(/\W+_?/g, '_');
  return place === 'header' ? argument.toLowerCase() : argument;
};

/** The source of classes whose methods are the operations. */
export function pythonOperations(operations, types) {
  const services = groupsOf(operations, 0);
  const parts = Object.entries(services).map(([service, own]) => serviceOf(service, own, types));
  const client = 'cast("AsyncClient", self)';
  return [...parts, holderOf('Operations', Object.keys(services), client, pascal)].join('\n\n');
}

/** By service, or by group. */
function groupsOf(operations, level) {
  const groups = {};
  for (const each of operations) (groups[each.operation.operationId.split('.')[level]] ??= []).push(each);
  return groups;
}

function serviceOf(service, operations, types) {
  const groups = groupsOf(operations, 1);
  const classOf = (group) => pascal(service) + pascal(group);
  const parts = Object.entries(groups).map(
    ([group, own]) => `class ${classOf(group)}(Group):\n${own.map((each) => methodOf(each, types)).join('\n')}`,
  );
  const holder = holderOf(`${pascal(service)}(Group)`, Object.keys(groups), 'self._client', classOf);
  return [...parts, holder].join('\n\n');
}

function holderOf(head, attributes, client, classOf) {
  const lines = attributes.map((each) => {
    const type = classOf(each);
    return `    @cached_property\n    def ${snake(each)}(self) -> ${type}:\n        return ${type}(${client})\n`;
  });
  return `class ${head}:\n${lines.join('\n')}`;
}

function methodOf({ path, method, operation }, types) {
  const { operationId, summary } = operation;
  const [, , name] = operationId.split('.');
  if (!isName(snake(name))) throw new Error(`${operationId} cannot be a method.`);
  const parameters = (operation.parameters ?? []).filter(
    (each) => !OWN.includes(each.name) && !each.name.includes('<'),
  );
  const prefix = operationId.split('.').map(pascal).join('');
  const given = parameters.map((each) => declarationOf(each, types, prefix));
  const body = operation.requestBody;
  if (body) given.push({ argument: 'body', type: bodyType(body, types, `${prefix}Body`), required: body.required });
  given.sort((one, other) => Number(other.required ?? false) - Number(one.required ?? false));
  if (new Set(given.map(({ argument }) => argument)).size < given.length)
    throw new Error(`${operationId} is ambiguous.`);
  const signature = given.map(
    ({ argument, type, required }) => `        ${argument}: ${required ? type : `${type} | None = None`},\n`,
  );
  return (
    `    @operation(\n${routeOf({ path, method, operation }, parameters)}    )\n` +
    `    def ${snake(name)}(\n        self,\n${signature.length > 0 ? '        *,\n' : ''}${signature.join('')}        **options: Unpack[CallOptions],\n` +
    `    ) -> ${replyType(operation, types, `${prefix}Reply`)}:\n        """${docstring(summary)}"""\n`
  );
}

function declarationOf(parameter, types, prefix) {
  const { name, required, schema } = parameter;
  const type = types.typeOf(schema, prefix + pascal(name));
  // A filter may be passed as an object.
  const wide = name === 'query' && type === 'str' ? 'str | Dict[str, Any]' : type;
  return { argument: argumentOf(parameter), type: wide, required: required && !NAMESPACES.includes(name) };
}

function routeOf({ path, method, operation }, parameters) {
  const namesIn = (place) => parameters.filter((each) => each.in === place).map(({ name }) => name);
  const namespace = parameters.find(({ name, required }) => required && NAMESPACES.includes(name));
  const filter = namespaceFilterOf(operation, method);
  const [media] = Object.keys(operation.requestBody?.content ?? {});
  const tuple = (names) => `(${names.map((name) => `"${name}", `).join('')})`;
  const values = [
    `"${operation.operationId}"`,
    `"${method.toUpperCase()}"`,
    `"${path}"`,
    ...(namesIn('query').length > 0 ? [`query=${tuple(namesIn('query'))}`] : []),
    ...(namesIn('header').length > 0 ? [`headers=${tuple(namesIn('header'))}`] : []),
    ...(namespace ? [`namespace="${namespace.name}"`] : []),
    ...(filter ? [`namespace_filter="${filter}"`] : []),
    ...(operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ? ['takes_key=True'] : []),
    ...(operation['x-reads'] ? ['reads=True'] : []),
    ...(media && media !== 'application/json' ? [`media="${media}"`] : []),
  ];
  return `        Route(${values.join(', ')})\n`;
}

function bodyType({ content }, types, name) {
  const all = Object.entries(content).map(([media, { schema }], index) => {
    if (media === 'multipart/form-data') return 'Form';
    if (media === 'application/x-www-form-urlencoded') return 'Dict[str, str]';
    return media.endsWith('json') ? types.typeOf(schema, `${name}${index || ''}`) : 'bytes';
  });
  return [...new Set(all)].join(' | ');
}

function replyType({ responses }, types, name) {
  const all = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {} }]) => {
      const json = Object.entries(content).find(([media]) => media.endsWith('json'));
      if (json) return [types.typeOf(json[1].schema, `${name}${status}`)];
      return Object.keys(content).length > 0 ? ['bytes'] : ['None'];
    });
  return [...new Set(all)].join(' | ');
}
