{{- define "platform-lib.deployment" -}}
{{- include "platform-lib.deploymentOf" (dict "root" . "component" "api" "program" "dist/main.js" "workload" .Values) }}
{{- end }}

{{- define "platform-lib.workerDeployment" -}}
{{- if include "platform-lib.hasWorker" . -}}
{{- include "platform-lib.deploymentOf" (dict "root" . "component" "worker" "suffix" "worker" "program" "dist/worker.js" "workload" .Values.worker) }}
{{- end }}
{{- end }}

{{/* "workload" has the values `replicas`, `autoscaling`, `keda` and `resources` of the deployment. */}}
{{- define "platform-lib.deploymentOf" -}}
{{- $facts := include "platform-lib.component" . | fromYaml -}}
{{- $container := dict "command" (list "node" "--enable-source-maps" .program) "resources" (include "platform-lib.resources" . | fromYaml) "needs" $facts.needs "configMap" .root.Chart.Name -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "platform-lib.metadata" . | nindent 2 }}
{{- with include "platform-lib.replicas" . }}
spec:
  replicas: {{ . }}
{{- else }}
  annotations:
    dtplatform/replicas: autoscaler
spec:
{{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "platform-lib.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "platform-lib.allPodLabels" (merge (dict "calls" $facts.calls) .) | nindent 8 }}
      annotations:
        {{- $checksum := dict "checksum/config" (include "platform-lib.environment" .root | sha256sum) }}
        {{- include "platform-lib.overlaid" (list $checksum (.root.Values.global.pod | default dict).annotations .root.Values.pod.annotations) | nindent 8 }}
    spec:
      {{- include "platform-lib.podSpec" . | nindent 6 }}
      {{- include "platform-lib.topologySpread" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ .root.Values.shutdown.terminationSeconds }}
      containers:
        - {{ include "platform-lib.container" (merge $container .) | indent 10 | trim }}
          ports:
            {{- if eq .component "api" }}
            - { name: http, containerPort: 8080 }
            {{- end }}
            - { name: admin, containerPort: 9090 }
          {{- include "platform-lib.probes" . | nindent 10 }}
          {{- if eq .component "api" }}
          lifecycle:
            preStop:
              # Requests still arrive until every node has removed the pod from its routes.
              sleep: { seconds: {{ .root.Values.shutdown.preStopSeconds }} }
          {{- end }}
        {{- with .root.Values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- include "platform-lib.volumes" (merge (dict "needs" $facts.needs) .) | nindent 6 }}
{{- end }}

{{/* With inline workers, a pod of the API has the memory of both; without a limit of either, it has none. */}}
{{- define "platform-lib.resources" -}}
{{- $resources := deepCopy (.workload.resources | default dict) }}
{{- if include "platform-lib.hasInlineWorker" .root }}
{{- $ofWorker := .root.Values.worker.resources | default dict }}
{{- range $kind, $quantities := $resources }}
{{- $own := ($quantities | default dict).memory }}
{{- $more := (get $ofWorker $kind | default dict).memory }}
{{- if and $own $more }}
{{- $_ := set $quantities "memory" (printf "%dMi" (add (include "platform-lib.mebibytes" $own) (include "platform-lib.mebibytes" $more))) }}
{{- else if $own }}
{{- $_ := unset $quantities "memory" }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $resources }}
{{- end }}

{{/* Memory as in the schema (a number of bytes, or a text with a unit), rounded up. */}}
{{- define "platform-lib.mebibytes" -}}
{{- $text := kindIs "float64" . | ternary (printf "%.0f" (toString . | float64)) (toString .) }}
{{- $units := dict "" 1.0 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 }}
{{- divf (mulf (regexFind "^[0-9.]*" $text | float64) (get $units (regexFind "[A-Za-z]*$" $text))) 1048576.0 | ceil | int64 }}
{{- end }}

{{/* A pod whose backend is unavailable is not ready, but is never restarted for it. */}}
{{- define "platform-lib.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 1
  timeoutSeconds: 3
  # Pods that start together on a small node start slowly.
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{/*
The number of replicas; empty if an autoscaler sets it. When Helm stops sending the field, Kubernetes resets it to one
pod. A deployment that was installed with a fixed number therefore keeps its current number, or gets the autoscaler's minimum.
*/}}
{{- define "platform-lib.replicas" -}}
{{- if not (or .workload.autoscaling.enabled (.workload.keda | default dict).enabled) }}{{ .workload.replicas }}
{{- else }}
{{- with lookup "apps/v1" "Deployment" .root.Release.Namespace (include "platform-lib.name" .) }}
{{- if not (hasKey (.metadata.annotations | default dict) "dtplatform/replicas") }}
{{- max .spec.replicas (include "platform-lib.leastReplicas" $.workload) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
