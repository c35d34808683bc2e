{{/* `image` is missing in the umbrella chart. */}}
{{- define "platform-lib.tag" -}}
{{ (.Values.image | default dict).tag | default .Values.global.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* A digest decides; a tag beside it is only for people, and for Skaffold, which finds its pods by the whole name. */}}
{{- define "platform-lib.image" -}}
{{- with .Values.global.image.registry }}{{ . }}/{{ end }}
{{- .Values.image.repository }}
{{- if .Values.image.digest }}{{ with .Values.image.tag }}:{{ . }}{{ end }}@{{ .Values.image.digest }}{{ else }}:{{ include "platform-lib.tag" . }}{{ end }}
{{- end }}
