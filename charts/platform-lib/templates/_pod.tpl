{{/* Common to all pods. The templates take dict "root" "component" and the entries they name. */}}

{{- define "platform-lib.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  # Lets the user read the secret files.
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.global.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . }} }
  {{- end }}
{{- end }}
{{- with .root.Values.pod }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- range $name, $value := pick . "nodeSelector" "tolerations" "affinity" }}
{{- with $value }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Spreads the replicas of each version over nodes and zones. */}}
{{- define "platform-lib.topologySpread" -}}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $.root.Values.pod.topologySpread }}
    labelSelector:
      matchLabels:
        {{- include "platform-lib.selectorLabels" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}

{{/*
A container of the service's image. "command" is its program, "resources" are its resources, "environment" holds its
settings unless they come from the ConfigMap.
*/}}
{{- define "platform-lib.container" -}}
name: {{ .component }}
image: {{ include "platform-lib.image" .root | quote }}
imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
command:
  {{- toYaml .command | nindent 2 }}
{{- $files := (include "platform-lib.secretFiles" . | fromYaml).files }}
{{- $authority := .root.Values.global.certificateAuthority.existingConfigMap }}
{{- if or .environment $files $authority }}
env:
  {{- range $name, $value := .environment }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
  {{- range $files }}
  - { name: {{ .name }}_FILE, value: /etc/dtplatform/secrets/{{ .name }} }
  {{- end }}
  {{- if $authority }}
  - { name: NODE_EXTRA_CA_CERTS, value: /etc/dtplatform/authority/ca.crt }
  {{- end }}
{{- end }}
resources:
  {{- toYaml .resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if $files }}
  - { name: secrets, mountPath: /etc/dtplatform/secrets, readOnly: true }
  {{- end }}
  {{- if $authority }}
  - { name: authority, mountPath: /etc/dtplatform/authority, readOnly: true }
  {{- end }}
{{- end }}

{{- define "platform-lib.volumes" -}}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- with (include "platform-lib.secretFiles" . | fromYaml).files }}
  - name: secrets
    projected:
      defaultMode: 0440
      sources:
        {{- range . }}
        - secret:
            name: {{ .secret }}
            items: [{ key: {{ .key | quote }}, path: {{ .name }} }]
        {{- end }}
  {{- end }}
  {{- with .root.Values.global.certificateAuthority }}
  {{- if .existingConfigMap }}
  - name: authority
    configMap:
      name: {{ .existingConfigMap }}
      items: [{ key: {{ .key | quote }}, path: ca.crt }]
  {{- end }}
  {{- end }}
{{- end }}
