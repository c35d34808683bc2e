{{/*
Names have no release prefix: services find each other by name, and a namespace holds one platform.
All templates of this file take dict "root" "component"; "suffix" is appended to the object's name, "is" replaces it, and
"more" holds labels of the operator.
*/}}
{{- define "platform-lib.metadata" -}}
name: {{ .is | default (include "platform-lib.name" .) }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "platform-lib.labels" . | nindent 2 }}
{{- end }}

{{- define "platform-lib.name" -}}
{{ .root.Chart.Name }}{{ with .suffix }}-{{ . }}{{ end }}
{{- end }}

{{- define "platform-lib.labels" -}}
{{- $labels := include "platform-lib.podLabels" . | fromYaml }}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .root.Release.Service }}
{{- $_ := set $labels "helm.sh/chart" (include "platform-lib.labelValue" (printf "%s-%s" .root.Chart.Name .root.Chart.Version)) }}
{{- include "platform-lib.overlaid" (list $labels .more) }}
{{- end }}

{{/* "calls" names the services whose network policies must let the pod in. */}}
{{- define "platform-lib.podLabels" -}}
{{ include "platform-lib.selectorLabels" . }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
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
{{ include "platform-lib.labelValue" (include "platform-lib.tag" .) }}
{{- end }}

{{/* A text as a label's value: at most 63 characters, the first and the last a letter or digit. */}}
{{- define "platform-lib.labelValue" -}}
{{ regexReplaceAll "[^A-Za-z0-9_.-]" . "_" | trimAll "-_." | trunc 63 | trimAll "-_." }}
{{- end }}

{{/* The maps of a list as one, in YAML: later ones take precedence, and null removes a key. */}}
{{- define "platform-lib.overlaid" -}}
{{- $whole := dict }}
{{- range . }}
{{- range $key, $value := . }}
{{- if kindIs "invalid" $value }}{{ $_ := unset $whole $key }}{{ else }}{{ $_ := set $whole $key $value }}{{ end }}
{{- end }}
{{- end }}
{{- toYaml $whole }}
{{- end }}
