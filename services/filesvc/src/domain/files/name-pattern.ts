import { RE2JS } from 're2js';
import { errors } from '../../errors.js';

/** Rejects everything but RE2 syntax: with back-references and look-around, matching may take forever. @throws 400 */
export function assertPattern(pattern: string): void {
  if (pattern.includes('\0')) throw errors.invalidPattern();
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    throw errors.invalidPattern({ cause: error });
  }
}
