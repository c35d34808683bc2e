{{/* `image` is missing in the umbrella chart. */}}
{{- define "platform-lib.tag" -}}
{{ (.Values.image | default dict).tag | default .Values.global.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* A digest takes precedence; a tag beside it serves readers and Skaffold, which finds its pods by the full name. */}}
{{- define "platform-lib.image" -}}
{{- $image := .Values.image | default dict }}
{{- with .Values.global.image.registry }}{{ . }}/{{ end }}
{{- $image.repository }}
{{- if $image.digest }}{{ with $image.tag }}:{{ . }}{{ end }}@{{ $image.digest }}{{ else }}:{{ include "platform-lib.tag" . }}{{ end }}
{{- end }}
