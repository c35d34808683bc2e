{{/* Names have no release prefix: a namespace holds one platform. The templates take dict "root" "name". */}}
{{- define "dev-backends.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "dev-backends.podLabels" . | nindent 2 }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimAll "-_." }}
{{- end }}

{{/* Takes the root. */}}
{{- define "dev-backends.egressToDns" -}}
{{- with .Values.global.networkPolicy.dns -}}
- ports:
    {{- range .ports }}
    {{- $port := kindIs "map" . | ternary . (dict "port" .) }}
    - {{ toJson $port }}
    - {{ toJson (merge (dict "protocol" "UDP") $port) }}
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "dev-backends.podLabels" -}}
{{ include "dev-backends.selectorLabels" . }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/part-of: dtplatform
{{- end }}

{{- define "dev-backends.selectorLabels" -}}
app.kubernetes.io/name: {{ .name }}
{{- end }}
