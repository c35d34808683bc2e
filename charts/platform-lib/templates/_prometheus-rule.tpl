{{/* The alerts of all services, and those of this one in `files/alerts.yaml`. */}}
{{- define "platform-lib.prometheusRule" -}}
{{- with .Values.global.monitoring.rules }}
{{- if .enabled -}}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  {{- include "platform-lib.metadata" (dict "root" $ "component" "metrics" "more" .labels) | nindent 2 }}
spec:
  groups:
    {{- range list (include "platform-lib.sharedAlerts" $) ($.Files.Get "files/alerts.yaml") }}
    {{- include "platform-lib.alertGroups" (dict "root" $ "file" .) | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The groups of a file of alerts for this release. */}}
{{- define "platform-lib.alertGroups" -}}
{{- $runbooks := .root.Values.global.monitoring.rules.runbooks | empty | ternary "" (printf "%s/" .root.Values.global.monitoring.rules.runbooks) -}}
{{- $text := .file | replace "NAMESPACE" .root.Release.Namespace | replace "SERVICE" .root.Chart.Name | replace "RUNBOOKS/" $runbooks -}}
{{ ($text | fromYaml).groups | toYaml }}
{{- end }}
