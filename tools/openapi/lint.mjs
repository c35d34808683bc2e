/** Lints API descriptions with the recommended rules of Spectral. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Document, Spectral } = require('@stoplight/spectral-core');
const { Json } = require('@stoplight/spectral-parsers');
const { asyncapi, oas } = require('@stoplight/spectral-rulesets');

/** @returns a line for each finding: where, and what */
export async function lint(document, file) {
  const spectral = new Spectral();
  const [ruleset, off] = document.asyncapi ? [asyncapi, {}] : [oas, {}];
  spectral.setRuleset({ extends: [[ruleset, 'recommended']], rules: off });
  const findings = await spectral.run(new Document(JSON.stringify(document), Json, file));
  return findings.map(({ code, path, message }) => `${file} ${path.join('.')}: ${message} (${code})`);
}
