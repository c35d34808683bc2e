import { requestHeadersOf } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import type { Parameter } from './operation-object.js';
import type { Schemas } from './schemas.js';

interface Described {
  description?: string;
  type?: string;
}

/** The parameters of the path, the query, and the headers that the operation reads. */
export function parametersOf(route: Route, path: string, schemas: Schemas): Parameter[] {
  return [...pathParameters(), ...queryParameters(), ...headerParameters()];

  function pathParameters(): Parameter[] {
    const { properties } = propertiesOf(route.params, `${route.operation}.path`, schemas);
    return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
      parameter({ name, in: 'path', required: true }, properties[name] ?? { type: 'string' }),
    );
  }

  function queryParameters(): Parameter[] {
    const { properties, required } = propertiesOf(route.query, `${route.operation}.query`, schemas);
    return Object.entries(properties).map(([name, schema]) =>
      parameter({ name, in: 'query', required: required.includes(name) }, schema),
    );
  }

  function headerParameters(): Parameter[] {
    return requestHeadersOf(route).map(({ name, description, required, schema }) => ({
      ...{ name, in: 'header' as const, required, description },
      schema: schemas.input(schema, `${route.operation}.${name}`),
    }));
  }
}

function parameter(where: Pick<Parameter, 'name' | 'in' | 'required'>, schema: Described): Parameter {
  const { description, ...rest } = schema;
  return {
    ...where,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  };
}

function propertiesOf(schema: Route['query'], name: string, schemas: Schemas) {
  const { properties = {}, required = [] } = (schema ? schemas.input(schema, name) : {}) as {
    properties?: Record<string, Described>;
    required?: string[];
  };
  return { properties, required };
}
