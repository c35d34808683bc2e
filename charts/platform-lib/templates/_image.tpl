{{/* The umbrella chart has no image of its own. */}}
{{- define "platform-lib.tag" -}}
{{ (.Values.image | default dict).tag | default .Values.global.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* A digest wins over a tag. */}}
{{- define "platform-lib.image" -}}
{{- with .Values.global.image.registry }}{{ . }}/{{ end }}
{{- .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ include "platform-lib.tag" . }}{{ end }}
{{- end }}
