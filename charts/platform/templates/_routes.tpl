{{/* The path prefixes of each installed service. */}}
{{- define "platform.routes" -}}
{{- $prefixes := dict
  "passportsvc" (list "/passportsvc" "/auth/realms" "/.well-known")
  "objectmodelsvc" (list "/objectmodelsvc")
  "filesvc" (list "/filesvc")
  "graphicssvc" (list "/graphicssvc")
  "itemsvc" (list "/itemsvc")
  "datasourcesvc" (list "/datasourcesvc")
  "metricsvc" (list "/metricsvc")
}}
{{- range $service, $paths := $prefixes }}
{{- if (index $.Values $service).enabled }}
{{ $service }}: {{ toJson $paths }}
{{- end }}
{{- end }}
{{- end }}

{{/* The host of the base URL, without its port. */}}
{{- define "platform.host" -}}
{{ regexReplaceAll "^https?://|:[0-9]+$" .Values.global.baseUrl "" }}
{{- end }}
