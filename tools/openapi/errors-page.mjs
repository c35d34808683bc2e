/** The documentation's page of all errors, from the services' error catalogues. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commonErrors } from '@dtplatform/errors';
import { connectionErrors } from '@dtplatform/http';
import { entryErrors } from '@dtplatform/permissions';
import { exchangeErrors } from '@dtplatform/service-client';

/** Errors that libraries may respond with in every operation. */
const OF_LIBRARIES = [commonErrors, connectionErrors, entryErrors, exchangeErrors];

const INTRODUCTION = `# Errors

Errors have a JSON body. \`code\` is for programs and never changes, \`message\` is for people, and \`errors\` names the parts
of the request that are wrong:

\`\`\`json
{
  "status": 400,
  "code": "BAD_REQUEST",
  "message": "The request is invalid.",
  "requestId": "2f6d2c1a-5f0e-4b6f-9d0a-3c1b7a8e9f10",
  "documentation": "https://twins.example.com/docs/guides/errors#bad_request",
  "errors": [{ "location": "query.nsfilter", "message": "is required" }]
}
\`\`\`

- \`requestId\` is also in the header \`X-Request-Id\`, and in every line that the services log about the call.
- \`documentation\` is the address of the entry of the code on this page.
- A reply with status 429 or 503 says in \`Retry-After\` after how many seconds to try again. Repeat a POST only with the same
  \`Idempotency-Key\`, which makes it safe.
- The OAuth endpoints answer as RFC 6749 says: \`error\` is the code in lower case, such as \`invalid_grant\`. Version 1 of the
  token endpoint has the status 403 for all of them, version 2 that of this page. SCIM answers as RFC 7644 says, with the code
  as \`scimType\`.
- Errors of steps of a run are not replies: the step has the message as \`_statusmsg\`.

Below, each code has its status, what its message says, and what to do about it.
`;

/**
 * @param root the repository, built
 * @returns the page as Markdown
 */
export async function errorsPage(root) {
  const services = readdirSync(join(root, 'services'));
  const own = await Promise.all(
    services.map(async (service) => [service, await import(join(root, 'services', service, 'dist/errors.js'))]),
  );
  const { gatewayErrors } = await import(join(root, 'tools/stack/dist/gateway/errors.js'));
  const catalogues = { common: [...OF_LIBRARIES, gatewayErrors].flatMap(definitionsOf) };
  for (const [service, { errors }] of own) catalogues[service] = definitionsOf(errors);
  const sections = Object.entries(catalogues).map(([service, errors]) => sectionOf(service, errors));
  return [INTRODUCTION, ...sections].join('\n');
}

const definitionsOf = (errors) => Object.values(errors).map(({ definition }) => definition);

function sectionOf(service, errors) {
  const entries = [...errors]
    .sort((a, b) => a.code.localeCompare(b.code))
    .map(({ code, status, message, remedy }) => `### ${code}\n\n**${status}** ${escaped(message)}\n\n${remedy}\n`);
  return [`## ${service === 'common' ? 'All services' : service}\n`, ...entries].join('\n');
}

/** Outside code, an asterisk begins emphasis. */
const escaped = (message) => message.replaceAll('*', '\\*');
