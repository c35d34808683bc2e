{{/*
Refuses what the schema cannot: what is missing and what contradicts itself. Each refusal is one sentence that says what
to set. Every chart includes it once.
*/}}
{{- define "platform-lib.validate" -}}
{{- include "platform-lib.validateBaseUrl" . }}
{{- include "platform-lib.validateImage" . }}
{{- include "platform-lib.validateSecrets" . }}
{{- include "platform-lib.validateLabels" . }}
{{- include "platform-lib.validateShutdown" . }}
{{- include "platform-lib.validateScaling" (dict "chart" .Chart.Name "at" "" "workload" .Values) }}
{{- if include "platform-lib.hasWorker" . }}
{{- include "platform-lib.validateScaling" (dict "chart" .Chart.Name "at" "worker." "workload" .Values.worker) }}
{{- end }}
{{- end }}


{{- define "platform-lib.validateBaseUrl" -}}
{{- $url := .Values.global.baseUrl }}
{{- if not $url }}
{{- fail (printf "%s: set global.baseUrl to the URL by which callers reach the platform, for example https://twins.example.com" .Chart.Name) }}
{{- else if hasSuffix "/" $url }}
{{- fail (printf "%s: set global.baseUrl without the slash at its end, as %s" .Chart.Name (trimSuffix "/" $url)) }}
{{- else if not (regexMatch `^https?://[^/?#@\s]+$` $url) }}
{{- fail (printf "%s: set global.baseUrl to https:// and a host (and port) only, without a path; it is %s" .Chart.Name $url) }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateImage" -}}
{{- if not .Values.image.repository }}
{{- fail (printf "%s: set image.repository to the image's name, for example dtplatform/%s" .Chart.Name .Chart.Name) }}
{{- end }}
{{- if hasSuffix "/" .Values.global.image.registry }}
{{- fail (printf "%s: set global.image.registry without the slash at its end" .Chart.Name) }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateSecrets" -}}
{{- $secrets := include "platform-lib.secrets" . | fromYaml }}
{{- range $component := (include "platform-lib.facts" . | fromYaml).components }}
{{- range .needs }}
{{- with get $secrets . }}
{{- if not (or .secret .optional) }}
{{- fail (printf "%s: set %s.existingSecret to the name of the Secret that holds the %s %s" $.Chart.Name .value (len .keys | plural "key" "keys") (values .keys | sortAlpha | join ", ")) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (include "platform-lib.usesS3" .) (not .Values.global.s3.endpoint) }}
{{- fail (printf "%s: set global.s3.endpoint to the URL of the S3 server, for example https://s3.example.com" .Chart.Name) }}
{{- end }}
{{- end }}

{{- define "platform-lib.validateLabels" -}}
{{- range $name, $_ := .Values.pod.labels }}
{{- if regexMatch "^(app[.]kubernetes[.]io|dtplatform)/" $name }}
{{- fail (printf "%s: set pod.labels without %s, which the chart sets itself" $.Chart.Name $name) }}
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

{{/* "at" is where the values stand, "workload" holds them. */}}
{{- define "platform-lib.validateScaling" -}}
{{- $keda := .workload.keda | default dict }}
{{- if and .workload.autoscaling.enabled $keda.enabled }}
{{- fail (printf "%s: set only one of %sautoscaling.enabled and %skeda.enabled, since both would scale the same deployment" .chart .at .at) }}
{{- end }}
{{- range $name, $scaling := dict "autoscaling" .workload.autoscaling "keda" $keda }}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) }}
{{- fail (printf "%s: set %s%s.maxReplicas to at least %s%s.minReplicas, which is %d" $.chart $.at $name $.at $name (int $scaling.minReplicas)) }}
{{- end }}
{{- end }}
{{- if and .workload.autoscaling.enabled (not (.workload.resources.requests | default dict).cpu) }}
{{- fail (printf "%s: set %sresources.requests.cpu, which %sautoscaling.targetCPUUtilization is a share of" .chart .at .at) }}
{{- end }}
{{- if and $keda.enabled (not $keda.address) }}
{{- fail (printf "%s: set %skeda.address to host and port of the Redis server, for example redis.example.com:6379" .chart .at) }}
{{- end }}
{{- end }}
