{{/* Common to all pods. */}}

{{- define "dev-backends.podBasics" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.global.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- $global := .Values.global }}
{{- $ids := dict "runAsUser" 10001 "runAsGroup" 10001 "fsGroup" 10001 }}
{{- $security := dict "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- $security = merge $security ($global.openshift | ternary dict $ids) }}
{{- with include "dev-backends.overlaid" (list $security ($global.pod | default dict).securityContext) | fromYaml }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $name := list "priorityClassName" "runtimeClassName" "nodeSelector" "tolerations" "affinity" }}
{{- with get $global $name }}
{{ $name }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Takes dict "root". */}}
{{- define "dev-backends.containerSecurity" -}}
{{- $security := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) }}
{{- with include "dev-backends.overlaid" (list $security .root.Values.global.containerSecurityContext) | fromYaml }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The maps of a list as one, in YAML: later ones take precedence, and null removes a key. */}}
{{- define "dev-backends.overlaid" -}}
{{- $whole := dict }}
{{- range . }}
{{- range $key, $value := . }}
{{- if kindIs "invalid" $value }}{{ $_ := unset $whole $key }}{{ else }}{{ $_ := set $whole $key $value }}{{ end }}
{{- end }}
{{- end }}
{{- toYaml $whole }}
{{- end }}

{{/* Takes dict "root" "image". */}}
{{- define "dev-backends.image" -}}
image: {{ with .image.registry }}{{ . }}/{{ end }}{{ .image.repository }}:{{ .image.tag }}
imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
{{- end }}

{{/* Pods are replaced when the configuration that they read at start changes. */}}
{{- define "dev-backends.podMetadata" -}}
{{- with .checksum -}}
annotations:
  checksum/config: {{ . | sha256sum }}
{{ end -}}
labels:
  {{- include "dev-backends.podLabels" . | nindent 2 }}
{{- end }}
