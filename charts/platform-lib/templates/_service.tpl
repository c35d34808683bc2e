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
