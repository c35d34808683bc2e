{{/* Rejects contradictions between parts of the platform; each service validates its own values. */}}
{{- define "platform.validate" -}}
{{- include "platform-lib.validateGlobal" . }}
{{- include "platform-lib.validateBaseUrl" . }}
{{- include "platform.backup.validate" . }}
{{- if not (or (include "platform.services" . | trim) .Values.backup.restore.enabled) }}
{{- fail "platform: enable at least one service, for example with passportsvc.enabled" }}
{{- end }}
{{- range .Values.installedAlone }}
{{- if (index $.Values .).enabled }}
{{- fail (printf "platform: set %s.enabled to false, or remove %s from installedAlone: a service has one release" . .) }}
{{- end }}
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
{{- if or (hasPrefix "[" $host) (not (regexMatch "[A-Za-z]" $host)) }}
{{- fail (printf "platform: set global.baseUrl to a host name, which an Ingress or HTTPRoute needs; %s is an address" $host) }}
{{- end }}
{{- if and .Values.gatewayApi.enabled (not .Values.gatewayApi.parentRefs) }}
{{- fail "platform: set gatewayApi.parentRefs to the Gateway of the route, for example [{name: public, namespace: gateways}]" }}
{{- end }}
{{- if and .Values.ingress.enabled .Values.ingress.tlsSecret (hasPrefix "http://" .Values.global.baseUrl) }}
{{- fail "platform: set global.baseUrl to an https:// URL, or remove ingress.tlsSecret" }}
{{- end }}
{{- with .Values.global.networkPolicy }}
{{- if and .enabled (not .ingressControllers) }}
{{- fail "platform: set global.networkPolicy.ingressControllers to the pods that route requests, for example [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress-nginx}}}], or global.networkPolicy.enabled to false" }}
{{- end }}
{{- end }}
{{- end }}
