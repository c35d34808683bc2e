import { createHash } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$';

/**
 * An IfcGloballyUniqueId: 128 bits as 22 digits of IFC's own base 64, the first of which holds two bits only
 * (ISO 16739-1, IfcGloballyUniqueId). The same name always gives the same id.
 */
export function ifcGuid(name: string): string {
  const bytes = createHash('md5').update(name).digest();
  const groups = [1, 4, 7, 10, 13].map((start) => inDigits(bytes.readUIntBE(start, 3), 4));
  return inDigits(bytes[0]!, 2) + groups.join('');
}

function inDigits(value: number, count: number): string {
  let digits = '';
  for (let place = count - 1; place >= 0; place -= 1) digits += DIGITS[(value >> (6 * place)) & 63]!;
  return digits;
}
