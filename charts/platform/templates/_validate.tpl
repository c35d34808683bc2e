{{/* Refuses what contradicts itself between the platform's parts; each service refuses what is its own. */}}
{{- define "platform.validate" -}}
{{- include "platform-lib.validateBaseUrl" . }}
{{- if not (include "platform.routes" . | trim) }}
{{- fail "platform: set enabled of at least one service, for example passportsvc.enabled" }}
{{- end }}
{{- if and .Values.ingress.enabled .Values.gatewayApi.enabled }}
{{- fail "platform: set only one of ingress.enabled and gatewayApi.enabled" }}
{{- end }}
{{- if or .Values.ingress.enabled .Values.gatewayApi.enabled }}
{{- include "platform.validateRouting" . }}
{{- end }}
{{- end }}

{{- define "platform.validateRouting" -}}
{{- $host := include "platform.host" . }}
{{- if not (regexMatch "[A-Za-z]" $host) }}
{{- fail (printf "platform: set global.baseUrl to a host name, which an ingress or a route needs; %s is an address" $host) }}
{{- end }}
{{- if and .Values.gatewayApi.enabled (not .Values.gatewayApi.parentRefs) }}
{{- fail "platform: set gatewayApi.parentRefs to the Gateway that the route belongs to, for example [{name: public, namespace: gateways}]" }}
{{- end }}
{{- if and .Values.ingress.enabled .Values.ingress.tlsSecret (hasPrefix "http://" .Values.global.baseUrl) }}
{{- fail "platform: set global.baseUrl to https://, or leave out ingress.tlsSecret" }}
{{- end }}
{{- with .Values.global.networkPolicy }}
{{- if and .enabled (not .ingressControllers) }}
{{- fail "platform: set global.networkPolicy.ingressControllers to the pods that bring requests, for example [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress-nginx}}}], or global.networkPolicy.enabled to false" }}
{{- end }}
{{- end }}
{{- end }}
