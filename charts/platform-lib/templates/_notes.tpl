{{/* Runs Node.js in the pod: Kubernetes does not proxy requests to pods that are not ready. */}}
{{- define "platform-lib.askReadiness" -}}
kubectl -n {{ .Release.Namespace }} exec POD -- node -e "fetch('http://127.0.0.1:9090/readyz').then((r) => r.text()).then(console.log)"
{{- end }}

{{- define "platform-lib.notes" -}}
{{ .Chart.Name }} {{ include "platform-lib.version" . }} is part of the platform at {{ .Values.global.baseUrl }}/{{ .Chart.Name }}.

It is ready once its migration has succeeded and its backends respond:
  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ .Chart.Name }}
{{- if include "platform-lib.hasWorker" . }} deployment/{{ .Chart.Name }}-worker{{ end }}
To see what a pod is waiting for:
  {{ include "platform-lib.askReadiness" . }}
To test that callers reach it:
  helm -n {{ .Release.Namespace }} test {{ .Release.Name }}
{{- end }}
