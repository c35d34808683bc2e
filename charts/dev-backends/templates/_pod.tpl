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
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "dev-backends.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
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
