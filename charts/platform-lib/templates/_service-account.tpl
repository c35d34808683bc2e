{{- define "platform-lib.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "platform-lib.metadata" (dict "root" .) | nindent 2 }}
automountServiceAccountToken: false
{{- end }}
