{{/*
On an upgrade the migration is a hook: when it fails, nothing else has changed. On an installation it is an ordinary Job,
because it would otherwise wait for backends that are installed along with it; the services become ready when it is done.
Its name changes with its pods, which cannot be changed in place.

It takes nothing from the release's other objects, which a hook comes before: its settings are inline, and it runs under
the namespace's own service account (without a token).
*/}}
{{- define "platform-lib.migration" -}}
{{- if .Values.migration.enabled }}
{{- $template := include "platform-lib.migrationPod" . -}}
{{- $suffix := .Release.IsUpgrade | ternary "migrate" (printf "migrate-%s" (sha256sum $template | trunc 8)) -}}
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
    {{- include "platform-lib.podLabels" $context | nindent 4 }}
    {{- with .Values.pod.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.pod.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # A failed try keeps its pod, and with it its log.
  restartPolicy: Never
  {{- include "platform-lib.podSpec" $context | nindent 2 }}
  containers:
    - {{ include "platform-lib.container" $context | indent 6 | trim }}
  {{- include "platform-lib.volumes" $context | nindent 2 }}
{{- end }}
