{{- define "platform-lib.serviceMonitor" -}}
{{- with .Values.global.serviceMonitor }}
{{- if .enabled -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "platform-lib.metadata" (dict "root" $ "component" "metrics" "more" .labels) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "platform-lib.selectorLabels" (dict "root" $ "component" "metrics") | nindent 6 }}
  jobLabel: app.kubernetes.io/name
  podTargetLabels: [app.kubernetes.io/component]
  endpoints:
    - { port: admin, path: /metrics, interval: {{ .interval }} }
{{- end }}
{{- end }}
{{- end }}
