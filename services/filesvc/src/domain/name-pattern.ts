import { RE2JS } from 're2js';
import { errors } from '../errors.js';

/** Refuses what is not RE2 syntax: back-references and look-around, with which matching may run away. @throws 400 */
export function assertPattern(pattern: string): void {
  if (pattern.includes('\0')) throw errors.invalidPattern();
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    throw errors.invalidPattern({ cause: error });
  }
}
