import type { z } from 'zod';
import { findAttribute } from './attributes.js';
import type { Attribute } from './schema-types.js';

/** The fields, each with the sentence of its attribute, which clients also read at `/scim/Schemas`. */
export const described = <S extends Record<string, z.ZodType>>(attributes: readonly Attribute[], fields: S): S =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.describe(findAttribute(attributes, name)!.description)]),
  ) as S;

/** The attributes within one. */
export const partsOf = (attributes: readonly Attribute[], name: string): readonly Attribute[] =>
  findAttribute(attributes, name)!.subAttributes!;
