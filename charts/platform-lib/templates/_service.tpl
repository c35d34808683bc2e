{{- define "platform-lib.service" -}}
{{- $api := dict "root" . "component" "api" "more" (.Values.service | default dict).labels -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "platform-lib.metadata" $api | nindent 2 }}
  {{- with (.Values.service | default dict).annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.global.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
  {{- end }}
  selector:
    {{- include "platform-lib.selectorLabels" $api | nindent 4 }}
  ports:
    - { name: http, port: 8080, targetPort: http, appProtocol: http }
{{- end }}
