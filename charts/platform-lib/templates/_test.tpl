{{/* Asks the service for its API description, from a pod of its own image, since there may be no other. */}}
{{- define "platform-lib.test" -}}
{{- $url := printf "http://%s:8080/%s/api/v1/openapi.json" .Chart.Name .Chart.Name -}}
{{- include "platform-lib.testPod" (dict "root" . "calls" (list .Chart.Name) "script" (include "platform-lib.testScript" $url)) }}
{{- end }}

{{- define "platform-lib.testScript" -}}
const reply = await fetch({{ . | quote }}, { signal: AbortSignal.timeout(10_000) });
if (!reply.ok) throw new Error(`It replied with ${reply.status}.`);
console.log((await reply.json()).info.title, "answers");
{{- end }}

{{/* A pod of `helm test` that runs "script" and may call "calls"; it is gone once it has succeeded. */}}
{{- define "platform-lib.testPod" -}}
{{- $context := merge (dict "component" "test" "suffix" "test") . -}}
apiVersion: v1
kind: Pod
metadata:
  {{- include "platform-lib.metadata" $context | nindent 2 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  restartPolicy: Never
  {{- include "platform-lib.podSpec" $context | nindent 2 }}
  containers:
    - name: test
      image: {{ include "platform-lib.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
      command: [node, --input-type=module, --eval]
      args:
        - |
          {{- .script | nindent 10 }}
      resources:
        requests: { cpu: 50m, memory: 64Mi }
        limits: { memory: 128Mi }
      securityContext:
        {{- include "platform-lib.containerSecurity" $context | nindent 8 }}
{{- end }}

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
