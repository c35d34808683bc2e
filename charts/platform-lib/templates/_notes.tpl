{{/* By the program that is in every image: a proxy of Kubernetes hides the answer of a pod that is not ready. */}}
{{- define "platform-lib.askReadiness" -}}
kubectl -n {{ .Release.Namespace }} exec POD -- node -e "fetch('http://127.0.0.1:9090/readyz').then((r) => r.text()).then(console.log)"
{{- end }}

{{- define "platform-lib.notes" -}}
{{ .Chart.Name }} {{ include "platform-lib.version" . }} is part of the platform at {{ .Values.global.baseUrl }}/{{ .Chart.Name }}.

It is ready when its migration is done and its backends answer:
  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ .Chart.Name }}
{{- if include "platform-lib.hasWorker" . }} deployment/{{ .Chart.Name }}-worker{{ end }}
What a pod waits for:
  {{ include "platform-lib.askReadiness" . }}
Whether callers reach it:
  helm -n {{ .Release.Namespace }} test {{ .Release.Name }}
{{- end }}
