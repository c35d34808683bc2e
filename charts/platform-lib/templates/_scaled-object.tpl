{{/* Scales the worker by the number of waiting jobs in its queues. */}}
{{- define "platform-lib.scaledObject" -}}
{{- with .Values.worker.keda }}
{{- if and .enabled (include "platform-lib.hasWorker" $) -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "platform-lib.metadata" (dict "root" $ "component" "worker" "suffix" "worker") | nindent 2 }}
spec:
  scaleTargetRef: { name: {{ $.Chart.Name }}-worker }
  {{- with .pollingInterval }}
  pollingInterval: {{ . }}
  {{- end }}
  {{- with .fallback }}
  fallback:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  {{- with .behavior }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml . | nindent 8 }}
  {{- end }}
  triggers:
    {{- $keda := . }}
    {{- range .listNames | default (include "platform-lib.queueLists" $ | fromYamlArray) }}
    - type: {{ $keda.type }}
      metadata:
        {{ eq $keda.type "redis" | ternary "address" "addresses" }}: {{ $keda.address | quote }}
        {{- with $keda.sentinelMaster }}
        sentinelMaster: {{ . | quote }}
        {{- end }}
        {{- if ne $keda.type "redis-cluster" }}
        databaseIndex: {{ $keda.databaseIndex | quote }}
        {{- end }}
        listName: {{ . | quote }}
        listLength: {{ $keda.listLength | quote }}
        enableTLS: {{ $keda.tls | quote }}
      {{- with $keda.authenticationRef }}
      authenticationRef: {{ kindIs "map" . | ternary . (dict "name" .) | toJson }}
      {{- end }}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The Redis lists in which BullMQ stores waiting jobs (libs/queue). */}}
{{- define "platform-lib.queueLists" -}}
{{- range (include "platform-lib.facts" . | fromYaml).queues }}
- {{ printf "{dtplatform.%s}:%s:wait" . . | quote }}
{{- end }}
{{- end }}
