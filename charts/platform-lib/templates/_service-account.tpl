{{- define "platform-lib.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "platform-lib.metadata" (dict "root" . "is" (include "platform-lib.serviceAccountName" .)) | nindent 2 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end }}

{{/* Without `create`, the namespace's default account, unless another one is named. */}}
{{- define "platform-lib.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary .Chart.Name "default") }}
{{- end }}
