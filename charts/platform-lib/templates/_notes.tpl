{{- define "platform-lib.notes" -}}
{{ .Chart.Name }} {{ include "platform-lib.version" . }} is part of the platform at {{ .Values.global.baseUrl }}/{{ .Chart.Name }}.

It is ready when its migration is done and its backends answer:
  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ .Chart.Name }}
{{- if include "platform-lib.hasWorker" . }} deployment/{{ .Chart.Name }}-worker{{ end }}
What a pod waits for:
  kubectl -n {{ .Release.Namespace }} get --raw /api/v1/namespaces/{{ .Release.Namespace }}/pods/POD:9090/proxy/readyz
Whether callers reach it:
  helm -n {{ .Release.Namespace }} test {{ .Release.Name }}
{{- end }}
