import { commonErrors } from '@dtplatform/errors';
import { platformErrors } from '@dtplatform/http';

const AN_ID = '2f6d2c1a-5f0e-4b6f-9d0a-3c1b7a8e9f10';
const text = (description: string) => ({ type: 'string', description });

/** The three error formats, one per kind of mount. */
export const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
    description: 'Why a request was rejected or failed.',
    required: ['status', 'code', 'message', 'requestId', 'documentation'],
    properties: {
      status: { type: 'integer', description: 'The HTTP status.' },
      code: text('The stable code of the error, for programs.'),
      message: text('What is wrong, in readable text.'),
      requestId: text('The id of the request, as in `X-Request-Id` and the logs.'),
      documentation: text('The URL of the guide for this error.'),
      errors: {
        type: 'array',
        description: 'The parts of the request that are invalid, if any.',
        items: {
          type: 'object',
          required: ['location', 'message'],
          properties: {
            location: text('The location of the part, such as `query.nsfilter` or `body._name`.'),
            message: text('What is wrong with it.'),
          },
        },
      },
    },
    example: platformErrors.body(commonErrors.notFound(), AN_ID),
  },
  OAuthError: {
    type: 'object',
    description: 'Why a request was rejected or failed (RFC 6749, section 5.2).',
    required: ['error'],
    properties: {
      error: text('The code of the error, for programs.'),
      error_description: text('What is wrong, in readable text.'),
    },
  },
  ScimError: {
    type: 'object',
    description: 'Why a request was rejected or failed (RFC 7644, section 3.12).',
    required: ['schemas', 'status'],
    properties: {
      schemas: { type: 'array', description: 'The schema of SCIM errors.', items: { type: 'string' } },
      status: text('The HTTP status, as text.'),
      scimType: text('The SCIM error type of a 400 or 409.'),
      detail: text('What is wrong, in readable text.'),
    },
  },
};
