import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { repositoryFile } from './repository.js';

/** A block of code of a page. */
export interface Block {
  heading: string;
  language: string;
  /** Titles of its tab, such as `curl`; several readers may share one. */
  tabs?: string[];
  text: string;
}

/** A step of a guide: a snippet, and the response shown for it. */
export interface Step {
  heading: string;
  code: string;
  reply?: Block;
}

const PART =
  /^##+ (?<heading>.+)$|^(?<fence>:::)(?: code-group)?$|^(?<indent> *)```(?<language>\w+)(?: \[(?<tab>[^\]]+)\])?\n(?<text>[^]*?)^ *```$/gm;
const REPLIES = ['json', 'text'];

/** The code blocks of a page; those of a code group together. */
function groupsOf(page: string): Block[][] {
  const groups: Block[][] = [];
  let [heading, isInside] = ['', false];
  for (const { groups: found } of readFileSync(repositoryFile(page), 'utf8').matchAll(PART)) {
    const { fence, indent = '', language, tab, text = '' } = found!;
    heading = found!.heading ?? heading;
    if (fence !== undefined && (isInside = !isInside)) groups.push([]);
    if (language === undefined) continue;
    if (!isInside) groups.push([]);
    const code = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    groups.at(-1)!.push({ heading, language, tabs: tab?.split(', '), text: code });
  }
  return groups;
}

/** All blocks of a page in a language. */
export const blocksOf = (page: string, language: string): Block[] =>
  groupsOf(page).flatMap((group) => group.filter((block) => block.language === language));

/**
 * The steps of a reader of a guide, in order.
 * @param tabs the reader's tabs: the first of them in a code group is used
 */
export function stepsOf(page: string, tabs: string[]): Step[] {
  const steps: Step[] = [];
  let current: { tab: string; step: Step } | undefined;
  for (const group of groupsOf(page)) {
    if (group.every(({ language }) => REPLIES.includes(language))) {
      const response = group.find((block) => !block.tabs || (current && block.tabs.includes(current.tab)));
      if (current && response) current.step.reply = response;
      continue;
    }
    const tab = tabs.find((name) => group.some((block) => block.tabs?.includes(name)));
    const chosen = group.find((block) => tab !== undefined && block.tabs?.includes(tab));
    current = chosen && { tab: tab!, step: { heading: chosen.heading, code: chosen.text } };
    if (current) steps.push(current.step);
  }
  return steps;
}

/** Expects the output that the guide shows: `…` is any text, and JSON may have more fields. */
export function expectResponse(output: string, { language, text }: Block): void {
  if (language !== 'json') return expect(inWords(output)).toMatch(textPattern(text));
  // A snippet may print several responses; the guide shows the last one.
  const lines = output.trim().split('\n');
  const last = lines.slice(lines.findLastIndex((line) => /^[[{]/.test(line))).join('\n');
  expect(JSON.parse(last)).toEqual(jsonPattern(JSON.parse(text)));
}

/** Column widths vary, so only words are compared. */
const inWords = (text: string) => text.trim().replaceAll(/[ \t]+/g, ' ');

function textPattern(shown: string): RegExp {
  const literal = inWords(shown).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<=^|\n)${literal.replaceAll('…', '.+')}$`);
}

function jsonPattern(shown: unknown): unknown {
  if (typeof shown === 'string') return shown === '…' ? expect.any(String) : shown;
  if (Array.isArray(shown)) return shown.map(jsonPattern);
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, jsonPattern(value)])),
  );
}
