{{/*
Rejects what the schema cannot express: missing and contradictory values. Each error is one sentence that says what to
set. Every service chart includes it once.
*/}}
{{- define "platform-lib.validate" -}}
{{- include "platform-lib.validateGlobal" . }}
{{- include "platform-lib.validateBaseUrl" . }}
{{- include "platform-lib.validateImage" . }}
{{- include "platform-lib.validateSecrets" . }}
{{- include "platform-lib.validateLabels" . }}
{{- include "platform-lib.validateExtras" . }}
{{- include "platform-lib.validateMonitoring" . }}
{{- include "platform-lib.validateShutdown" . }}
{{- include "platform-lib.validateScaling" (dict "chart" .Chart.Name "at" "" "workload" .Values) }}
{{- if include "platform-lib.hasInlineWorker" . }}
{{- range $name := list "autoscaling" "keda" }}
{{- if (get $.Values.worker $name).enabled }}
{{- fail (printf "%s: set worker.%s.enabled to false: with global.workers: inline, there is no worker to scale" $.Chart.Name $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "platform-lib.hasWorker" . }}
{{- include "platform-lib.validateScaling" (dict "chart" .Chart.Name "at" "worker." "workload" .Values.worker) }}
{{- end }}
{{- end }}

{{/* Other charts and Rancher add keys to `global`; one that differs from ours only in case or separators is a mistake. */}}
{{- define "platform-lib.validateGlobal" -}}
{{- $known := splitList " " (include "platform-lib.globalKeys" .) }}
{{- range $given, $_ := .Values.global }}
{{- if not (has $given $known) }}
{{- range $known }}
{{- if eq (lower .) (regexReplaceAll "[^A-Za-z0-9]" $given "" | lower) }}
{{- fail (printf "%s: set global.%s instead of global.%s" $.Chart.Name . $given) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateBaseUrl" -}}
{{- $url := .Values.global.baseUrl }}
{{- if not $url }}
{{- fail (printf "%s: set global.baseUrl to the URL by which callers reach the platform, for example https://twins.example.com" .Chart.Name) }}
{{- else if hasSuffix "/" $url }}
{{- fail (printf "%s: set global.baseUrl without the slash at the end, as in %s" .Chart.Name (trimSuffix "/" $url)) }}
{{- else if not (regexMatch `^https?://[^/?#@\s]+$` $url) }}
{{- fail (printf "%s: set global.baseUrl to https:// and a host, with an optional port and without a path; it is %s" .Chart.Name $url) }}
{{- else if not (regexMatch `^https?://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$` $url) }}
{{- fail (printf "%s: set global.baseUrl to a host of lowercase letters, digits, dots and hyphens and an optional port; it is %s" .Chart.Name $url) }}
{{- else if gt (regexFind `[0-9]+$` (regexFind `:[0-9]+$` $url) | int) 65535 }}
{{- fail (printf "%s: set global.baseUrl to a port of at most 65535; it is %s" .Chart.Name $url) }}
{{- end }}
{{- range .Values.global.corsOrigins }}
{{- if not (or (eq . "*") (regexMatch `^[a-z][a-z0-9+.-]*://[^/?#@\s]+$` .)) }}
{{- fail (printf "%s: set global.corsOrigins to origins without a path or a slash at the end, for example https://app.example.com; one of them is %s" $.Chart.Name .) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateImage" -}}
{{- if not (.Values.image | default dict).repository }}
{{- fail (printf "%s: set image.repository to the image's name, for example dtplatform/%s" .Chart.Name .Chart.Name) }}
{{- end }}
{{- with .Values.global.image.registry }}
{{- if hasSuffix "/" . }}
{{- fail (printf "%s: set global.image.registry without the slash at the end" $.Chart.Name) }}
{{- else if contains "://" . }}
{{- fail (printf "%s: set global.image.registry without %s, as host and path" $.Chart.Name (regexFind "^.*://" .)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateSecrets" -}}
{{- $secrets := include "platform-lib.secrets" . | fromYaml }}
{{- range $component := (include "platform-lib.facts" . | fromYaml).components }}
{{- range .needs }}
{{- with get $secrets . }}
{{- if not (or .secret .optional) }}
{{- $keys := values .keys | sortAlpha | compact }}
{{- fail (printf "%s: set %s.existingSecret to the name of the Secret that holds the %s %s" $.Chart.Name .value (len $keys | plural "key" "keys") (join ", " $keys)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "platform-lib.usesS3" . }}
{{- include "platform-lib.validateS3" . }}
{{- end }}
{{- if and (.Values.smtp | default dict).existingSecret (not .Values.settings.mailFrom) }}
{{- fail (printf "%s: set settings.mailFrom to the sender of mails, for example no-reply@example.com: it is required with smtp.existingSecret" .Chart.Name) }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateS3" -}}
{{- with .Values.global.s3 }}
{{- if not .endpoint }}
{{- fail (printf "%s: set global.s3.endpoint to the URL of the S3 server, for example https://s3.example.com" $.Chart.Name) }}
{{- end }}
{{- range $name, $url := pick . "endpoint" "publicEndpoint" }}
{{- if and $url (not (regexMatch `^https?://[^/?#@\s]+/?$` $url)) }}
{{- fail (printf "%s: set global.s3.%s to https:// (or http://), a host and, if needed, a port, without a bucket or path; it is %s" $.Chart.Name $name $url) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateLabels" -}}
{{- $values := .Values }}
{{- $monitoring := .Values.global.monitoring }}
{{- range $at, $labels := dict
  "pod.labels" $values.pod.labels
  "service.labels" ($values.service | default dict).labels
  "migration.pod.labels" (dig "pod" dict ($values.migration | default dict) | default dict).labels
  "test.pod.labels" (dig "pod" dict ($values.test | default dict) | default dict).labels
  "global.serviceMonitor.labels" $values.global.serviceMonitor.labels
  "global.monitoring.rules.labels" $monitoring.rules.labels
}}
{{- range $name, $_ := $labels }}
{{- if regexMatch "^(app[.]kubernetes[.]io|dtplatform)/" $name }}
{{- fail (printf "%s: remove %s from %s: the chart sets it itself" $.Chart.Name $name $at) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Names of the chart's own volumes, mounts and containers are taken. */}}
{{- define "platform-lib.validateExtras" -}}
{{- range $at, $taken := dict
  "extraVolumes" (list "tmp" "secrets" "authority" "backups")
  "extraContainers" (list "api" "worker" "migration" "backup" "restore" "test")
  "initContainers" (list "api" "worker" "migration" "backup" "restore" "test")
}}
{{- range index $.Values $at }}
{{- if has .name $taken }}
{{- fail (printf "%s: give the entry %s of %s another name: the chart uses it itself" $.Chart.Name .name $at) }}
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.extraVolumeMounts }}
{{- if has (trimSuffix "/" .mountPath) (list "/tmp" "/etc/dtplatform/secrets" "/etc/dtplatform/authority" "/backups") }}
{{- fail (printf "%s: mount %s of extraVolumeMounts elsewhere: the chart uses %s itself" $.Chart.Name .name .mountPath) }}
{{- end }}
{{- end }}
{{- end }}

{{/* With network policies, only the peers in `monitoring` reach the metrics that monitors and alerts need. */}}
{{- define "platform-lib.validateMonitoring" -}}
{{- with .Values.global }}
{{- $reader := .serviceMonitor.enabled | ternary "serviceMonitor" (.monitoring.rules.enabled | ternary "monitoring.rules" "") }}
{{- if and $reader .networkPolicy.enabled (not .networkPolicy.monitoring) }}
{{- fail (printf "%s: set global.networkPolicy.monitoring to the pods of Prometheus, for example [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}], or global.networkPolicy.enabled to false: with global.%s.enabled, Prometheus must reach the metrics" $.Chart.Name $reader) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateShutdown" -}}
{{- with .Values.shutdown }}
{{- $least := add .preStopSeconds .graceSeconds | int }}
{{- if le (int .terminationSeconds) $least }}
{{- fail (printf "%s: set shutdown.terminationSeconds to more than %d, the sum of shutdown.preStopSeconds and shutdown.graceSeconds" $.Chart.Name $least) }}
{{- end }}
{{- end }}
{{- end }}

{{/* "workload" has the values to check, "at" is their path. */}}
{{- define "platform-lib.validateScaling" -}}
{{- $keda := .workload.keda | default dict }}
{{- if and .workload.autoscaling.enabled $keda.enabled }}
{{- fail (printf "%s: set only one of %sautoscaling.enabled and %skeda.enabled, because both scale the same deployment" .chart .at .at) }}
{{- end }}
{{- range $name, $scaling := dict "autoscaling" .workload.autoscaling "keda" $keda }}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) }}
{{- fail (printf "%s: set %s%s.maxReplicas to at least %s%s.minReplicas, which is %d" $.chart $.at $name $.at $name (int $scaling.minReplicas)) }}
{{- end }}
{{- end }}
{{- if and .workload.autoscaling.enabled (not ((.workload.resources | default dict).requests | default dict).cpu) }}
{{- fail (printf "%s: set %sresources.requests.cpu: %sautoscaling.targetCPUUtilization is a percentage of it" .chart .at .at) }}
{{- end }}
{{- if $keda.enabled }}
{{- $isSingle := eq $keda.type "redis" }}
{{- if not (regexMatch ($isSingle | ternary `^[^\s:/,]+:[0-9]+$` `^[^\s:/,]+:[0-9]+(,[^\s:/,]+:[0-9]+)*$`) $keda.address) }}
{{- fail (printf "%s: set %skeda.address to the host and port of the Redis server, for example redis.example.com:6379%s" .chart .at ($isSingle | ternary "" "; separate several by commas")) }}
{{- end }}
{{- if ne (eq $keda.type "redis-sentinel") (ne $keda.sentinelMaster "") }}
{{- fail (printf "%s: set %skeda.sentinelMaster to the name of the master if, and only if, %skeda.type is redis-sentinel" .chart .at .at) }}
{{- end }}
{{- end }}
{{- end }}
