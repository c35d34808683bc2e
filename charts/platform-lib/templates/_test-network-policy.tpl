{{- define "platform-lib.testNetworkPolicy" -}}
{{- $policy := .Values.global.networkPolicy }}
{{- if $policy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "platform-lib.metadata" (dict "root" . "component" "test" "suffix" "test") | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "platform-lib.selectorLabels" (dict "root" . "component" "test") | nindent 6 }}
  policyTypes: [Ingress, Egress]
  egress:
    {{- include "platform-lib.egressTo" (merge (dict "udp" true) $policy.dns) | nindent 4 }}
    - to:
        - podSelector: { matchLabels: { app.kubernetes.io/part-of: dtplatform, app.kubernetes.io/component: api } }
      ports: [{ port: 8080 }]
{{- end }}
{{- end }}
