/** Lints API descriptions with the recommended rules of Spectral. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Spectral } = require('@stoplight/spectral-core');
const { asyncapi, oas } = require('@stoplight/spectral-rulesets');

/** @returns a line with the place and problem of each finding */
export async function lint(document, file) {
  const spectral = new Spectral();
  // The project has no contact address to put into descriptions of installations.
  const withoutAddress = { extends: [[asyncapi, 'recommended']], rules: { 'asyncapi-info-contact-properties': 'off' } };
  // A summary that says everything is not repeated.
  const withoutDescriptions = { extends: [[oas, 'recommended']], rules: { 'operation-description': 'off' } };
  spectral.setRuleset(document.asyncapi ? withoutAddress : withoutDescriptions);
  const findings = await spectral.run(document);
  return findings.map(({ code, path, message }) => `${file} ${path.join('.')}: ${message} (${code})`);
}
