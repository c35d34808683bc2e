{{/* The path prefixes of the installed services and the documentation site. */}}
{{- define "platform.routes" -}}
{{ include "platform.services" . }}
{{- if .Values.site.enabled }}
site: ["/docs", {{ if .Values.site.console.enabled }}"/console", {{ end }}"/packages", "/openapi.json", "/asyncapi.json"]
{{- end }}
{{- end }}

{{/* The path prefixes of each service installed by this or a separate release. */}}
{{- define "platform.services" -}}
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
{{- if or (index $.Values $service).enabled (has $service $.Values.installedAlone) }}
{{ $service }}: {{ toJson $paths }}
{{- end }}
{{- end }}
{{- end }}

{{/* The host of the base URL, without its port. */}}
{{- define "platform.host" -}}
{{ regexReplaceAll "^https?://|:[0-9]+$" .Values.global.baseUrl "" }}
{{- end }}
