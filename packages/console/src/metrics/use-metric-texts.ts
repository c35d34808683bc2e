import { useText } from '../frame';
import { metricOf } from './names';

/** How metrics and their values are written. */
export function useMetricTexts() {
  const { text, number, bytes } = useText();
  const nameOf = (name: string) => {
    const { key, what } = metricOf(name) ?? {};
    return key ? text(key, what && { what: text(what) }) : name.replace('dtplatform.', '');
  };
  const write = (name: string, value: number) => (metricOf(name)?.unit === 'bytes' ? bytes(value) : number(value));
  return { nameOf, write };
}
