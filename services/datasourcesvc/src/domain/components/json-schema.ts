import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { ParameterIssue } from './component.js';

type Check = (params: unknown) => ParameterIssue[];

/** A linear engine: patterns come from other teams, and texts from tenants. */
const regExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // ajv takes two expressions with the same text for one.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'RE2JS' },
);

/**
 * A check of parameters by a JSON Schema (draft 2020-12). It reports all required parameters that are absent, but of the
 * other problems only the first. @throws when the schema is not valid, or refers to another one
 */
export function checkBySchema(schema: Record<string, unknown>): Check {
  const { required: requiredNames = [], ...rest } = schema;
  const required = requiredNames as string[];
  const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, validateFormats: false, code: { regExp } });
  if (!ajv.validateSchema(schema)) throw new Error(ajv.errorsText());
  const validate = ajv.compile({ ...rest, type: 'object' });
  return (params) => {
    if (!validate(params)) return [issueOf(validate.errors![0]!)];
    return required
      .filter((name) => !Object.hasOwn(params as object, name))
      .map((name) => ({ path: [name], message: 'is required' }));
  };
}

function issueOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): ParameterIssue {
  const path = instancePath.split('/').slice(1).map(unescaped);
  const { missingProperty, additionalProperty } = params as Record<string, string>;
  if (keyword === 'required') return { path: [...path, missingProperty!], message: 'is required' };
  if (keyword === 'additionalProperties') return { path: [...path, additionalProperty!], message: 'is not allowed' };
  return { path, message };
}

/** A part of a JSON pointer (RFC 6901). */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
