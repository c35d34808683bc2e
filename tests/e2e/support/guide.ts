import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A step of a guide: a snippet, and the reply that the guide shows for it. */
export interface GuideStep {
  heading: string;
  code: string;
  reply?: { language: string; text: string };
}

const BLOCK = /^## (?<heading>.+)$|^```(?<language>\w+)(?: \[(?<tab>[^\]]+)\])?\n(?<text>[^]*?)^```$/gm;

/** The snippets of one tab of a guide, in their order. A block without a tab is the reply to the snippet before it. */
export function stepsOf(page: string, tab: string): GuideStep[] {
  const markdown = readFileSync(path.resolve(import.meta.dirname, '../../../docs/guides', page), 'utf8');
  const steps: GuideStep[] = [];
  let heading = '';
  for (const { groups } of markdown.matchAll(BLOCK)) {
    const { language = '', text = '' } = groups!;
    heading = groups!.heading ?? heading;
    if (groups!.tab === tab) steps.push({ heading, code: text });
    else if (language && groups!.tab === undefined && steps.length > 0) steps.at(-1)!.reply = { language, text };
  }
  return steps;
}
