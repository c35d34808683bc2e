import { z } from 'zod';

const MAX_LENGTH = 512;

/** A topic filter of MQTT (MQTT 3.1.1, section 4.7): `+` stands for one level, `#` for all that follow. */
export const TopicFilter = z
  .string()
  .min(1)
  .max(MAX_LENGTH)
  .refine(
    (filter) => !/[\0\ufffd\ud800-\udfff]/.test(filter) && filter.split('/').every(isLevel),
    'is no topic filter',
  );

const isLevel = (level: string, index: number, levels: string[]) =>
  level === '+' || (level === '#' && index === levels.length - 1) || !/[+#]/.test(level);

/** Whether a topic matches a filter. */
export function matchesTopic(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  const rest = wanted.indexOf('#');
  if (rest === -1 ? wanted.length !== levels.length : levels.length < rest) return false;
  return (rest === -1 ? wanted : wanted.slice(0, rest)).every(
    (level, index) => level === '+' || level === levels[index],
  );
}
