{{- define "platform-lib.hpa" -}}
{{- include "platform-lib.hpaOf" (dict "root" . "component" "api" "autoscaling" .Values.autoscaling) }}
{{- end }}

{{- define "platform-lib.workerHpa" -}}
{{- include "platform-lib.hpaOf" (dict "root" . "component" "worker" "suffix" "worker" "autoscaling" .Values.worker.autoscaling) }}
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
{{- end }}
{{- end }}
{{- end }}

{{/* Scales a worker by the jobs that wait in its queues. */}}
{{- define "platform-lib.scaledObject" -}}
{{- with .Values.worker.keda }}
{{- if .enabled -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "platform-lib.metadata" (dict "root" $ "component" "worker" "suffix" "worker") | nindent 2 }}
spec:
  scaleTargetRef: { name: {{ $.Chart.Name }}-worker }
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  triggers:
    {{- $keda := . }}
    {{- range .listNames | default (include "platform-lib.queueLists" $ | fromYamlArray) }}
    - type: redis
      metadata:
        address: {{ $keda.address | quote }}
        databaseIndex: {{ $keda.databaseIndex | quote }}
        listName: {{ . | quote }}
        listLength: {{ $keda.listLength | quote }}
        enableTLS: {{ $keda.tls | quote }}
      {{- with $keda.authenticationRef }}
      authenticationRef: { name: {{ . }} }
      {{- end }}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The Redis lists in which BullMQ keeps the jobs that wait (see libs/queue). */}}
{{- define "platform-lib.queueLists" -}}
{{- range (include "platform-lib.facts" . | fromYaml).queues }}
- {{ printf "{dtplatform.%s}:%s:wait" . . | quote }}
{{- end }}
{{- end }}

{{- define "platform-lib.pdb" -}}
{{- include "platform-lib.pdbOf" (dict "root" . "component" "api" "workload" .Values) }}
{{- end }}

{{- define "platform-lib.workerPdb" -}}
{{- include "platform-lib.pdbOf" (dict "root" . "component" "worker" "suffix" "worker" "workload" .Values.worker) }}
{{- end }}

{{/* With a single replica it would either protect nothing or block the draining of nodes. */}}
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
