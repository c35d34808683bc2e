{{/* Lists every pod of the service with metrics: API and worker, ready or not. */}}
{{- define "platform-lib.metricsService" -}}
{{- if .Values.global.serviceMonitor.enabled -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "platform-lib.metadata" (dict "root" . "component" "metrics" "suffix" "metrics") | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "platform-lib.selectorLabels" (dict "root" .) | nindent 4 }}
  ports:
    - { name: admin, port: 9090, targetPort: admin }
{{- end }}
{{- end }}
