{{/* `image` is missing in the umbrella chart. */}}
{{- define "platform-lib.tag" -}}
{{ (.Values.image | default dict).tag | default .Values.global.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* A digest takes precedence over a tag. */}}
{{- define "platform-lib.image" -}}
{{- with .Values.global.image.registry }}{{ . }}/{{ end }}
{{- .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ include "platform-lib.tag" . }}{{ end }}
{{- end }}
