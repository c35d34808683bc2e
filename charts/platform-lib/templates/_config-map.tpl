{{- define "platform-lib.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "platform-lib.metadata" (dict "root" .) | nindent 2 }}
data:
  {{- include "platform-lib.environment" . | trim | nindent 2 }}
{{- end }}
