{{/*
On an upgrade, the migration is a hook: if it fails, nothing else has changed. On an install it is an ordinary Job, because
a hook would wait for backends that belong to the same release; the services become ready once it has succeeded. The pods
of a Job are immutable, so its name contains a hash of them.

Hooks run before the other objects of the release exist, so its settings are inline. If its service account does not exist
either, as when an upgrade enables a service, the hooks include one, which Helm deletes after the migration and creates again
with the release.
*/}}
{{- define "platform-lib.migration" -}}
{{- if .Values.migration.enabled }}
{{- $template := include "platform-lib.migrationPod" . -}}
{{- $suffix := .Release.IsUpgrade | ternary "migrate" (printf "migrate-%s" ($template | fromYaml | toJson | sha256sum | trunc 8)) -}}
{{- $account := include "platform-lib.serviceAccountName" . | trim -}}
{{- if and .Release.IsUpgrade .Values.serviceAccount.create (not (lookup "v1" "ServiceAccount" .Release.Namespace $account)) -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "platform-lib.metadata" (dict "root" . "component" "migration" "is" $account) | nindent 2 }}
  annotations:
    {{- $hook := dict "helm.sh/hook" "pre-upgrade" "helm.sh/hook-weight" "-1" "helm.sh/hook-delete-policy" "hook-succeeded,hook-failed" }}
    {{- /* Lets a later upgrade adopt an account that a failed migration has left. */}}
    {{- $owner := dict "meta.helm.sh/release-name" .Release.Name "meta.helm.sh/release-namespace" .Release.Namespace }}
    {{- include "platform-lib.overlaid" (list .Values.serviceAccount.annotations $owner $hook) | nindent 4 }}
automountServiceAccountToken: false
---
{{ end -}}
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
