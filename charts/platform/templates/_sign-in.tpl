{{/* Gets a token of the service client and requests a list from each of "services". */}}
{{- define "platform.signInScript" -}}
{{- $lists := dict
  "passportsvc" "/passportsvc/api/v1/workspaces"
  "objectmodelsvc" "/objectmodelsvc/api/v1/permissions"
  "filesvc" "/filesvc/api/v1/files"
  "itemsvc" "/itemsvc/api/v1/telemetryconfigs"
  "datasourcesvc" "/datasourcesvc/api/v1/orchestrators"
-}}
import { readFileSync } from 'node:fs';

const secret = (name) => readFileSync(process.env[`${name}_FILE`], 'utf8').trim();
const request = (service, path, init) =>
  fetch(`http://${service}:8080${path}`, { ...init, signal: AbortSignal.timeout(10_000) });

const reply = await request('passportsvc', '/passportsvc/api/v2/oauth/token', {
  method: 'POST',
  headers: { authorization: `Basic ${btoa(`${secret('SERVICE_CLIENT_ID')}:${secret('SERVICE_CLIENT_SECRET')}`)}` },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
});
if (!reply.ok) throw new Error(`The token endpoint replied with ${reply.status}.`);
const headers = { authorization: `Bearer ${(await reply.json()).access_token}` };

const lists = {
  {{- range $service := .services }}
  {{- with get $lists $service }}
  {{ $service }}: '{{ . }}',
  {{- end }}
  {{- end }}
};
for (const [service, path] of Object.entries(lists)) {
  const anonymous = await request(service, path);
  if (anonymous.status !== 401) throw new Error(`${service} replied with ${anonymous.status} without a token.`);
  const { status } = await request(service, path, { headers });
  if (status === 401 || status >= 500) throw new Error(`${service} replied with ${status} to a token.`);
  console.log(service, 'accepts the token.');
}
{{- end }}
