import type { ErrorFormat, Route } from '@dtplatform/http';
import type { Components } from './components.js';
import type { Operation } from './operation-object.js';
import { parametersOf } from './parameters.js';
import { jsonTypeOf, responsesOf } from './responses.js';
import { securityOf } from './security.js';
import type { Schemas } from './schemas.js';

/** Shared by the operations of a document. */
export interface Sources {
  schemas: Schemas;
  components: Components;
}

export function describeOperation(route: Route, path: string, format: ErrorFormat, sources: Sources): Operation {
  const { schemas, components } = sources;
  const [tag = ''] = route.operation.split('.');
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [tag],
    parameters: parametersOf(route, path, schemas),
    ...requestBody(route, format, schemas),
    responses: responsesOf({ route, format, schemas, components }),
    ...securityOf(route),
    ...(route.needs ? { 'x-permission': route.needs.declares } : {}),
    ...(route.reads ? { 'x-reads': true } : {}),
    ...(route.callers ? { 'x-callers': route.callers } : {}),
    ...(route.aliasOf ? { 'x-alias-of': route.aliasOf } : {}),
  };
}

function requestBody(route: Route, format: ErrorFormat, schemas: Schemas): Pick<Operation, 'requestBody'> {
  const { body, streamedBody, shownBody, operation } = route;
  if (body) {
    const shown = { schema: schemas.input(shownBody ?? body, `${operation}.body`) };
    // Every operation accepts plain JSON.
    const content = { [jsonTypeOf(format)]: shown, 'application/json': shown };
    return { requestBody: { required: !body.safeParse(undefined).success, content } };
  }
  if (!streamedBody) return {};
  const schema = shownBody ? schemas.input(shownBody, `${operation}.body`) : {};
  return { requestBody: { required: true, content: { [streamedBody]: { schema } } } };
}
