/** JSON values that every service rejects, because they cannot be stored. */
export const REFUSED_JSON: readonly string[] = [
  '"a\\u0000b"',
  '"a\\ud800b"',
  '{"_bsontype": "ObjectId"}',
  '{"_bson\\u0074ype": 1}',
  '{"__proto__": {}}',
  '{"a\\u0000": 1}',
  '{"\\udc00": 1}',
  '9007199254740993',
  '-12345678901234567890',
  '1e999',
];
