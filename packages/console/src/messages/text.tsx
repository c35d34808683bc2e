import { createContext, useContext, useState } from 'react';
import type { ReactNode } from 'react';
import { en } from './en';
import type { MessageKey } from './en';

/** A language is one file of messages. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
type Messages = Record<MessageKey, string>;
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
const CHOSEN = 'console:language';

interface Texts {
  language: Language;
  messages: Messages;
}

const isLanguage = (name = ''): name is Language => Object.hasOwn(LANGUAGES, name);
const preferred = (): Language => {
  const wanted = [localStorage.getItem(CHOSEN) ?? undefined, ...navigator.languages.map((tag) => tag.split('-')[0])];
  return wanted.find(isLanguage) ?? 'en';
};

/** The texts of a language, by default of the one that the user prefers. */
export async function loadTexts(language = preferred()): Promise<Texts> {
  return { language, messages: language === 'de' ? (await import('./de')).de : en };
}

const TextContext = createContext<(Texts & { choose: (language: Language) => void }) | undefined>(undefined);

export function TextProvider({ initial, children }: { initial: Texts; children: ReactNode }) {
  const [texts, setTexts] = useState(initial);
  document.documentElement.lang = texts.language;
  const choose = (next: Language) => {
    localStorage.setItem(CHOSEN, next);
    void loadTexts(next).then(setTexts);
  };
  return <TextContext value={{ ...texts, choose }}>{children}</TextContext>;
}

/** The texts of the chosen language. `{name}` in a message stands for a value, `{name:entry|entries}` for a word in the singular or plural. */
export function useText() {
  const { language, messages, choose } = useContext(TextContext)!;
  const text = (key: MessageKey, values: Record<string, string | number> = {}) =>
    messages[key].replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
      const value = values[name];
      if (many !== undefined) return value === 1 ? one! : many;
      return typeof value === 'number' ? number(value) : (value ?? '');
    });
  /** A time, which some answers hold as digits; empty if it is absent. */
  const time = (ms?: number | string) =>
    ms ? new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(Number(ms)) : '';
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  /** A size, such as 1.2 MB; empty if it is absent. */
  const bytes = (value?: number) => {
    if (value === undefined) return '';
    const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3));
    // Short, the unit of bytes is not in the plural.
    const unitDisplay = step === 0 ? 'long' : 'short';
    const format = { style: 'unit', unit: UNITS[step], unitDisplay, maximumFractionDigits: 1 } as const;
    return new Intl.NumberFormat(language, format).format(value / 1000 ** step);
  };
  return { language, choose, text, time, number, bytes };
}
