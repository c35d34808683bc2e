{{- define "platform-lib.pdb" -}}
{{- include "platform-lib.pdbOf" (dict "root" . "component" "api" "workload" .Values) }}
{{- end }}

{{- define "platform-lib.workerPdb" -}}
{{- if include "platform-lib.hasWorker" . }}
{{- include "platform-lib.pdbOf" (dict "root" . "component" "worker" "suffix" "worker" "workload" .Values.worker) }}
{{- end }}
{{- end }}

{{/* With a single replica, it would either protect nothing or block node drains. */}}
{{- define "platform-lib.pdbOf" -}}
{{- if and .root.Values.podDisruptionBudget.enabled (gt (include "platform-lib.leastReplicas" .workload | int) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "platform-lib.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "platform-lib.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end }}

{{- define "platform-lib.leastReplicas" -}}
{{- if .autoscaling.enabled }}{{ .autoscaling.minReplicas }}
{{- else if (.keda | default dict).enabled }}{{ .keda.minReplicas }}
{{- else }}{{ .replicas }}
{{- end }}
{{- end }}
