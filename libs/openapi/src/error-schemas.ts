const text = { type: 'string' };

/** The three error formats, one for each kind of mount. */
export const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
    required: ['status', 'code', 'message', 'requestId'],
    properties: {
      status: { type: 'integer' },
      code: text,
      message: text,
      requestId: text,
      errors: {
        type: 'array',
        items: { type: 'object', required: ['location', 'message'], properties: { location: text, message: text } },
      },
    },
  },
  OAuthError: { type: 'object', required: ['error'], properties: { error: text, error_description: text } },
  ScimError: {
    type: 'object',
    required: ['schemas', 'status'],
    properties: { schemas: { type: 'array', items: text }, status: text, scimType: text, detail: text },
  },
};
