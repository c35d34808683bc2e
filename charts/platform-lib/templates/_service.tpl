{{- define "platform-lib.service" -}}
{{- $api := dict "root" . "component" "api" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "platform-lib.metadata" $api | nindent 2 }}
spec:
  selector:
    {{- include "platform-lib.selectorLabels" $api | nindent 4 }}
  ports:
    - { name: http, port: 8080, targetPort: http, appProtocol: http }
{{- end }}

{{- define "platform-lib.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "platform-lib.metadata" (dict "root" .) | nindent 2 }}
automountServiceAccountToken: false
{{- end }}

{{- define "platform-lib.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "platform-lib.metadata" (dict "root" .) | nindent 2 }}
data:
  {{- include "platform-lib.environment" . | trim | nindent 2 }}
{{- end }}
