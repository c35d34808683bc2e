{{/*
On an upgrade, the migration is a hook: if it fails, nothing else has changed. On an install it is an ordinary Job, because
a hook would wait for backends that belong to the same release; the services become ready once it has succeeded. The pods
of a Job are immutable, so its name contains a hash of them.

Hooks run before the other objects of the release are updated, so its settings are inline. Its service account must exist
(platform-lib.validateServiceAccount).
*/}}
{{- define "platform-lib.migration" -}}
{{- if .Values.migration.enabled }}
{{- $template := include "platform-lib.migrationPod" . -}}
{{- $suffix := .Release.IsUpgrade | ternary "migrate" (printf "migrate-%s" ($template | fromYaml | toJson | sha256sum | trunc 8)) -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "platform-lib.metadata" (dict "root" . "component" "migration" "suffix" $suffix) | nindent 2 }}
  {{- if .Release.IsUpgrade }}
  annotations:
    helm.sh/hook: pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
  {{- end }}
spec:
  backoffLimit: {{ .Values.migration.backoffLimit }}
  activeDeadlineSeconds: {{ .Values.migration.activeDeadlineSeconds }}
  {{- if regexMatch "[0-9]" (toString .Values.migration.ttlSecondsAfterFinished) }}
  ttlSecondsAfterFinished: {{ .Values.migration.ttlSecondsAfterFinished }}
  {{- end }}
  template:
    {{- $template | nindent 4 }}
{{- end }}
{{- end }}

{{- define "platform-lib.migrationPod" -}}
{{- $context := dict "root" . "component" "migration" "resources" .Values.migration.resources -}}
{{- $facts := include "platform-lib.component" $context | fromYaml -}}
{{- $own := include "platform-lib.settings" ($facts.settings | default dict) | fromYaml -}}
{{- $_ := set $context "needs" $facts.needs -}}
{{- $_ := set $context "command" (list "node" "--enable-source-maps" "dist/migrate.js") -}}
{{- $_ := set $context "environment" (include "platform-lib.environment" . | fromYaml | merge $own) -}}
metadata:
  labels:
    {{- include "platform-lib.allPodLabels" (merge (dict "more" (.Values.migration.pod | default dict).labels) $context) | nindent 4 }}
  {{- with include "platform-lib.overlaid" (list .Values.pod.annotations (.Values.migration.pod | default dict).annotations) | fromYaml }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # A failed attempt keeps its pod and so its log.
  restartPolicy: Never
  {{- include "platform-lib.podSpec" $context | nindent 2 }}
  containers:
    - {{ include "platform-lib.container" $context | indent 6 | trim }}
  {{- include "platform-lib.volumes" $context | nindent 2 }}
{{- end }}
