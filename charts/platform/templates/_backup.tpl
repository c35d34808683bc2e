{{/*
Presents the backup programs as a service to the templates of the library. Takes dict "root"
"component".
*/}}
{{- define "platform.backup.root" -}}
Chart: { Name: backup, Version: {{ .Chart.Version | quote }}, AppVersion: {{ index .Chart.Annotations "dtplatform/backup" | quote }} }
Release: { Name: {{ .Release.Name | quote }}, Namespace: {{ .Release.Namespace | quote }}, Service: {{ .Release.Service }} }
Values:
  global: {{ toJson .Values.global }}
  {{- toYaml (omit .Values.backup "enabled" "restore" "storage" "resources") | nindent 2 }}
{{- end }}

{{/* A pod that runs one of the programs once. Takes dict "root" "component" "needs" "arguments". */}}
{{- define "platform.backup.pod" -}}
{{- $root := include "platform.backup.root" .root | fromYaml -}}
{{- $program := list "node" "--enable-source-maps" "dist/main.js" -}}
{{- $context := dict "root" $root "component" .component "needs" .needs "resources" .root.Values.backup.resources -}}
{{- $_ := set $context "command" (concat $program .arguments) -}}
{{- $_ := set $context "environment" (include "platform.backup.environment" .root | fromYaml) -}}
metadata:
  labels:
    {{- include "platform-lib.allPodLabels" $context | nindent 4 }}
  {{- with $root.Values.pod.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # A failed attempt keeps its pod and so its log.
  restartPolicy: Never
  {{- include "platform-lib.podSpec" $context | nindent 2 }}
  containers:
    - {{ include "platform-lib.container" $context | indent 6 | trim }}
        - { name: backups, mountPath: /backups }
  {{- include "platform-lib.volumes" $context | nindent 2 }}
    - name: backups
      persistentVolumeClaim: { claimName: {{ .root.Values.backup.storage.existingClaim | default "backup" }} }
{{- end }}

{{/* Not retried: exit codes 2 (rejected) and 3 (done except for missing objects). */}}
{{- define "platform.backup.attempts" -}}
backoffLimit: {{ .Values.backup.backoffLimit }}
activeDeadlineSeconds: {{ .Values.backup.activeDeadlineSeconds }}
podFailurePolicy:
  rules:
    - action: FailJob
      onExitCodes: { operator: In, values: [2, 3] }
{{- end }}

{{- define "platform.backup.environment" -}}
{{- with .Values.global }}
MONGO_DATABASE_PREFIX: {{ .mongodb.databasePrefix | quote }}
S3_ENDPOINT: {{ .s3.endpoint | quote }}
S3_REGION: {{ .s3.region | quote }}
S3_FORCE_PATH_STYLE: {{ .s3.forcePathStyle | quote }}
S3_BUCKET_PREFIX: {{ .s3.bucketPrefix | quote }}
{{- end }}
PLATFORM_VERSION: {{ .Values.global.image.tag | default .Chart.AppVersion | quote }}
{{- end }}

{{/* The sorted names of the platform's secrets, including known ones of services that are installed alone. */}}
{{- define "platform.backup.secrets" -}}
{{- $groups := list .Values.global.mongodb .Values.global.redis .Values.global.s3 .Values.global.serviceClient -}}
{{- $groups = concat $groups (list .Values.passportsvc.keyEncryption .Values.passportsvc.bootstrap) -}}
{{- $groups = concat $groups (list .Values.passportsvc.smtp .Values.itemsvc.mqtt) -}}
{{- $names := list -}}
{{- range $groups }}{{ with (. | default dict).existingSecret }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{ $names | uniq | sortAlpha | toJson }}
{{- end }}

{{/* Not empty if a backup or restore is enabled. */}}
{{- define "platform.backup.isUsed" -}}
{{ if or .Values.backup.enabled .Values.backup.restore.enabled }}true{{ end }}
{{- end }}

{{- define "platform.backup.validate" -}}
{{- if include "platform.backup.isUsed" . }}
{{- $root := include "platform.backup.root" . | fromYaml }}
{{- include "platform-lib.validateLabels" $root }}
{{- include "platform-lib.validateExtras" $root }}
{{- range $name := list "mongodb" "redis" }}
{{- if not (index $.Values.global $name).existingSecret }}
{{- fail (printf "platform: set global.%s.existingSecret, which backups and restores need" $name) }}
{{- end }}
{{- end }}
{{- if not .Values.global.s3.endpoint }}
{{- fail "platform: set global.s3.endpoint, which backups and restores need" }}
{{- end }}
{{- end }}
{{- if and .Values.backup.enabled (has "passportsvc" .Values.installedAlone) (not (.Values.passportsvc.keyEncryption | default dict).existingSecret) }}
{{- fail "platform: set passportsvc.keyEncryption.existingSecret as in the release of passportsvc: backups name the secrets that a restore needs" }}
{{- end }}
{{- if .Values.backup.restore.enabled }}
{{- $reason := "no service may run while backup.restore.enabled restores its data" }}
{{- $enabled := list }}
{{- range $name := include "platform.services" . | fromYaml | keys | sortAlpha }}
{{- if (index $.Values $name).enabled }}{{ $enabled = append $enabled $name }}{{ end }}
{{- end }}
{{- with $enabled }}
{{- fail (printf "platform: set enabled to false for %s: %s" (join ", " .) $reason) }}
{{- end }}
{{- with .Values.installedAlone }}
{{- fail (printf "platform: uninstall %s and set installedAlone to []: %s" (join ", " .) $reason) }}
{{- end }}
{{- if .Values.backup.enabled }}
{{- fail "platform: set backup.enabled to false while backup.restore.enabled is true" }}
{{- end }}
{{- end }}
{{- end }}
