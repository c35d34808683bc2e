{{- define "platform-lib.networkPolicy" -}}
{{- include "platform-lib.networkPolicyOf" (dict "root" . "component" "api") }}
{{- end }}

{{- define "platform-lib.workerNetworkPolicy" -}}
{{- if include "platform-lib.hasWorker" . }}
{{- include "platform-lib.networkPolicyOf" (dict "root" . "component" "worker" "suffix" "worker") }}
{{- end }}
{{- end }}

{{- define "platform-lib.migrationNetworkPolicy" -}}
{{- if .Values.migration.enabled }}
{{- include "platform-lib.networkPolicyOf" (dict "root" . "component" "migration" "suffix" "migrate") }}
{{- end }}
{{- end }}

{{- define "platform-lib.networkPolicyOf" -}}
{{- $policy := .root.Values.global.networkPolicy }}
{{- if $policy.enabled -}}
{{- $facts := include "platform-lib.component" . | fromYaml -}}
{{- $secrets := include "platform-lib.secrets" .root | fromYaml -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "platform-lib.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "platform-lib.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with include "platform-lib.ingressRules" . | trim }}
  ingress:
    {{- . | nindent 4 }}
  {{- end }}
  egress:
    {{- include "platform-lib.egressTo" (merge (dict "udp" true) $policy.dns) | nindent 4 }}
    {{- range concat $facts.needs ($facts.reaches | default list) }}
    {{- $group := get $secrets . | default dict }}
    {{- $to := get $policy . }}
    {{- if and $to (or $group.secret (not $group.optional) (eq . "s3")) }}
    {{- include "platform-lib.egressTo" $to | nindent 4 }}
    {{- end }}
    {{- if and (eq . "s3") (not $group.secret) }}
    {{- include "platform-lib.egressTo" $policy.cloudCredentials | nindent 4 }}
    {{- end }}
    {{- end }}
    {{- range $facts.calls }}
    - to:
        - podSelector: { matchLabels: { app.kubernetes.io/name: {{ . }}, app.kubernetes.io/component: api } }
      ports: [{ port: 8080 }]
    {{- end }}
{{- end }}
{{- end }}

{{/* Callers and ingress controllers reach the API, monitoring reaches the metrics. */}}
{{- define "platform-lib.ingressRules" -}}
{{- $policy := .root.Values.global.networkPolicy }}
{{- if eq .component "api" }}
- from:
    - podSelector: { matchLabels: { dtplatform/calls-{{ .root.Chart.Name }}: "true" } }
    {{- with $policy.ingressControllers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports: [{ port: 8080 }]
{{- end }}
{{- if and (ne .component "migration") $policy.monitoring }}
- from:
    {{- toYaml $policy.monitoring | nindent 4 }}
  ports: [{ port: 9090 }]
{{- end }}
{{- end }}

{{/*
Allows TCP and, with "udp", UDP to the `ports` (numbers, or objects with `port` and `endPort`) of the peers in `to`. Empty means anywhere; without "udp", except
link-local addresses: clouds serve node credentials there, and no backend has one, but a name server may.
*/}}
{{- define "platform-lib.egressTo" -}}
- ports:
    {{- range .ports }}
    {{- $port := kindIs "map" . | ternary . (dict "port" .) }}
    - {{ toJson $port }}
    {{- if $.udp }}
    - {{ toJson (merge (dict "protocol" "UDP") $port) }}
    {{- end }}
    {{- end }}
  {{- if .to }}
  to:
    {{- toYaml .to | nindent 4 }}
  {{- else if not .udp }}
  to:
    {{- /* Some network plugins match only addresses outside the cluster with an ipBlock. */}}
    - namespaceSelector: {}
    - ipBlock: { cidr: 0.0.0.0/0, except: [169.254.0.0/16] }
    - ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'] }
  {{- end }}
{{- end }}
