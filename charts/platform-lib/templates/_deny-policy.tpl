{{/* Denies all traffic to and from pods of the service that no other policy allows. */}}
{{- define "platform-lib.denyPolicy" -}}
{{- if .Values.global.networkPolicy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "platform-lib.metadata" (dict "root" . "suffix" "deny") | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "platform-lib.selectorLabels" (dict "root" .) | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end }}
{{- end }}
