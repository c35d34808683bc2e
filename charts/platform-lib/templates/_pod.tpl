{{/*
Common to all pods. The templates take dict "root" "component" and the entries they name.

Components that run to completion get `extraContainers` as sidecars among their init containers: Kubernetes stops these with
the last container.
*/}}

{{- define "platform-lib.podSpec" -}}
{{- $pod := .root.Values.pod -}}
{{- $global := .root.Values.global -}}
automountServiceAccountToken: false
enableServiceLinks: false
serviceAccountName: {{ include "platform-lib.serviceAccountName" .root }}
{{- with include "platform-lib.podSecurityContext" .root | fromYaml }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $global.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . }} }
  {{- end }}
{{- end }}
{{- range $name := list "priorityClassName" "runtimeClassName" }}
{{- with get $pod $name | default (get $global $name) }}
{{ $name }}: {{ . }}
{{- end }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $pod $name | default (get $global $name) }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- $init := .root.Values.initContainers | default list }}
{{- if include "platform-lib.runsToCompletion" .component }}
{{- range .root.Values.extraContainers }}
{{- $init = append $init (merge (dict "restartPolicy" "Always") .) }}
{{- end }}
{{- end }}
{{- with $init }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "platform-lib.runsToCompletion" -}}
{{ if has . (list "migration" "backup" "restore" "test") }}true{{ end }}
{{- end }}

{{/* `fsGroup` lets the user read the secret files. On OpenShift, the namespace assigns the ids. */}}
{{- define "platform-lib.podSecurityContext" -}}
{{- $default := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- if not .Values.global.openshift }}
{{- $_ := merge $default (dict "runAsUser" 10001 "runAsGroup" 10001 "fsGroup" 10001) }}
{{- end }}
{{- include "platform-lib.overlaid" (list $default (.Values.global.pod | default dict).securityContext .Values.pod.securityContext) }}
{{- end }}

{{- define "platform-lib.containerSecurityContext" -}}
{{- $default := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) }}
{{- include "platform-lib.overlaid" (list $default .Values.global.containerSecurityContext .Values.containerSecurityContext) }}
{{- end }}

{{/* Labels of a pod: those of the chart, then `pod.labels` and "more". Takes also "calls". */}}
{{- define "platform-lib.allPodLabels" -}}
{{ include "platform-lib.overlaid" (list (include "platform-lib.podLabels" . | fromYaml) .root.Values.pod.labels .more) }}
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
settings unless they come from the ConfigMap. A variable in `extraEnv` replaces the chart's.
*/}}
{{- define "platform-lib.container" -}}
{{- $values := .root.Values -}}
name: {{ .component }}
image: {{ include "platform-lib.image" .root | quote }}
imagePullPolicy: {{ $values.global.image.pullPolicy }}
command:
  {{- toYaml .command | nindent 2 }}
{{- $files := (include "platform-lib.secretFiles" . | fromYaml).files }}
{{- $authority := $values.global.certificateAuthority.existingConfigMap }}
{{- $env := list }}
{{- range $name, $value := .environment }}{{ $env = append $env (dict "name" $name "value" $value) }}{{ end }}
{{- range $files }}{{ $env = append $env (dict "name" (printf "%s_FILE" .name) "value" (printf "/etc/dtplatform/secrets/%s" .name)) }}{{ end }}
{{- if $authority }}{{ $env = append $env (dict "name" "NODE_EXTRA_CA_CERTS" "value" "/etc/dtplatform/authority/ca.crt") }}{{ end }}
{{- $replaced := list }}
{{- range $values.extraEnv }}{{ $replaced = append $replaced .name }}{{ end }}
{{- if or $env $values.extraEnv }}
env:
  {{- range $env }}
  {{- if not (has .name $replaced) }}
  - { name: {{ .name }}, value: {{ .value | quote }} }
  {{- end }}
  {{- end }}
  {{- with $values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- $from := $values.extraEnvFrom | default list }}
{{- if .configMap }}{{ $from = prepend $from (dict "configMapRef" (dict "name" .configMap)) }}{{ end }}
{{- with $from }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml (.resources | default dict) | nindent 2 }}
{{- with include "platform-lib.containerSecurityContext" .root | fromYaml }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if $files }}
  - { name: secrets, mountPath: /etc/dtplatform/secrets, readOnly: true }
  {{- end }}
  {{- if $authority }}
  - { name: authority, mountPath: /etc/dtplatform/authority, readOnly: true }
  {{- end }}
  {{- with $values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
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
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
