{{/*
Names have no release prefix: services find each other by name, and a namespace holds one platform.
All templates of this file take dict "root" "component"; "suffix" is appended to the object's name.
*/}}
{{- define "platform-lib.metadata" -}}
name: {{ include "platform-lib.name" . }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "platform-lib.labels" . | nindent 2 }}
{{- end }}

{{- define "platform-lib.name" -}}
{{ .root.Chart.Name }}{{ with .suffix }}-{{ . }}{{ end }}
{{- end }}

{{- define "platform-lib.labels" -}}
{{ include "platform-lib.podLabels" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* "calls" names the services whose network policies must let the pod in. */}}
{{- define "platform-lib.podLabels" -}}
{{ include "platform-lib.selectorLabels" . }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ include "platform-lib.version" .root | quote }}
app.kubernetes.io/part-of: dtplatform
{{- range .calls }}
dtplatform/calls-{{ . }}: "true"
{{- end }}
{{- end }}

{{/* The release is left out, so that a service can move from one release to another. */}}
{{- define "platform-lib.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "platform-lib.version" -}}
{{ include "platform-lib.tag" . | trunc 63 | trimSuffix "-" | trimSuffix "." | trimSuffix "_" }}
{{- end }}
