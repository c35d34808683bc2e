{{/* A root for the library's service templates to render the documentation site. */}}
{{- define "platform.site.root" -}}
Chart: { Name: site, Version: {{ .Chart.Version | quote }}, AppVersion: {{ index .Chart.Annotations "dtplatform/site" | quote }} }
Release: { Name: {{ .Release.Name | quote }}, Namespace: {{ .Release.Namespace | quote }}, Service: {{ .Release.Service }} }
Values:
  global: {{ toJson .Values.global }}
  {{- toYaml (omit .Values.site "enabled") | nindent 2 }}
  autoscaling: { enabled: false }
{{- end }}

{{- define "site.facts" -}}
components:
  api:
    needs: []
    calls: []
{{- end }}
