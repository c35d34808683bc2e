{{- define "platform-lib.hpa" -}}
{{- include "platform-lib.hpaOf" (dict "root" . "component" "api" "autoscaling" .Values.autoscaling) }}
{{- end }}

{{- define "platform-lib.workerHpa" -}}
{{- if include "platform-lib.hasWorker" . }}
{{- include "platform-lib.hpaOf" (dict "root" . "component" "worker" "suffix" "worker" "autoscaling" .Values.worker.autoscaling) }}
{{- end }}
{{- end }}

{{- define "platform-lib.hpaOf" -}}
{{- with .autoscaling }}
{{- if .enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "platform-lib.metadata" $ | nindent 2 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "platform-lib.name" $ }} }
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .targetCPUUtilization }} }
  {{- with .behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
