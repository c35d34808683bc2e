import { useText } from '../messages/text';

/** A field of a form. */
export interface Field {
  name: string;
  label: string;
  /** Defaults to one line of text. */
  kind?: 'text' | 'email' | 'password' | 'date' | 'lines' | 'json' | 'choice' | 'flag';
  /** The values of a choice, or suggestions for a text, and how they are shown. */
  choices?: { value: string; label: string }[];
  isRequired?: boolean;
  maxLength?: number;
  help?: string;
  initial?: string;
  /** The first valid date. */
  min?: string;
}

const SHORT_NAME_LENGTH = 22;
/** The short name of a resource, which becomes a part of its id. */
export const shortNameOf = (name: string) => name.slice(0, SHORT_NAME_LENGTH);
/** The lines of a field that are not empty. */
export const linesOf = (typed = '') => typed.split('\n').flatMap((line) => line.trim() || []);

/** The fields that most resources have. */
export function useNameFields(name?: string, description?: string): Field[] {
  const { text } = useText();
  return [
    { name: '_name', label: text('form.name'), isRequired: true, maxLength: 256, initial: name },
    { name: '_description', label: text('form.description'), kind: 'lines', initial: description },
  ];
}

/** The values of the fields as typed; a flag is `true` or empty. */
export type Values = Record<string, string>;

/** The local date as fields of the kind `date` have it. */
export function dayOf(time: Date): string {
  const digits = (value: number, length = 2) => String(value).padStart(length, '0');
  if (Number.isNaN(time.getTime())) return '';
  return `${digits(time.getFullYear(), 4)}-${digits(time.getMonth() + 1)}-${digits(time.getDate())}`;
}
