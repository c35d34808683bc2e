import type { AttributePath } from '../attributes.js';

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** A value in the form in which it is compared: dates in milliseconds, texts as `comparableText` makes them. */
export type Comparable = string | number | boolean;

/** A SCIM filter whose attributes are known (RFC 7644, section 3.4.2.2). Inside `any`, paths begin at the value. */
export type ScimFilter =
  | { op: 'and'; filters: ScimFilter[] }
  | { op: 'or'; filters: ScimFilter[] }
  | { op: 'not'; filter: ScimFilter }
  /** One value of a multi-valued attribute matches all of the filter. */
  | { op: 'any'; path: AttributePath; filter: ScimFilter }
  /** The attribute has a value. */
  | { op: 'pr'; path: AttributePath }
  | { op: Comparison; path: AttributePath; value: Comparable };
