{{/* Requests the service's API description from a pod with the service's image; no other image is needed. */}}
{{- define "platform-lib.test" -}}
{{- include "platform-lib.testPod" (dict
  "root" .
  "suffix" "test"
  "calls" (list .Chart.Name)
  "script" (include "platform-lib.testScript" (printf "http://%s:8080/%s/api/v1/openapi.json" .Chart.Name .Chart.Name))
) }}
{{- end }}

{{- define "platform-lib.testScript" -}}
const reply = await fetch('{{ . }}', { signal: AbortSignal.timeout(10_000) });
if (!reply.ok) throw new Error(`The service replied with ${reply.status}.`);
console.log((await reply.json()).info.title, 'replied.');
{{- end }}

{{/*
A pod of `helm test` that runs "script", may call the services in "calls" and gets the secrets in "needs". It is deleted
once it has succeeded.
*/}}
{{- define "platform-lib.testPod" -}}
{{- $context := dict "component" "test" "command" (list "node" "--input-type=module" "--eval" .script) | merge . -}}
{{- $test := .root.Values.test | default dict -}}
{{- $_ := set $context "resources" $test.resources -}}
{{- $_ := set $context "more" (include "platform-lib.overlaid" (list .root.Values.pod.labels ($test.pod | default dict).labels) | fromYaml) -}}
apiVersion: v1
kind: Pod
metadata:
  {{- include "platform-lib.metadata" $context | nindent 2 }}
  annotations:
    {{- $hook := dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded" }}
    {{- include "platform-lib.overlaid" (list .root.Values.pod.annotations ($test.pod | default dict).annotations $hook) | nindent 4 }}
spec:
  restartPolicy: Never
  {{- include "platform-lib.podSpec" $context | nindent 2 }}
  containers:
    - {{ include "platform-lib.container" $context | indent 6 | trim }}
  {{- include "platform-lib.volumes" $context | nindent 2 }}
{{- end }}
