{{- define "platform-lib.notes" -}}
{{ .Chart.Name }} {{ include "platform-lib.version" . }} is part of the platform at {{ .Values.global.baseUrl }}/{{ .Chart.Name }}.

It is ready when its migration is done and its backends answer:
  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ .Chart.Name }}
{{- if include "platform-lib.hasWorker" . }} deployment/{{ .Chart.Name }}-worker{{ end }}
What a pod waits for is at its port 9090 under /readyz:
  kubectl -n {{ .Release.Namespace }} port-forward deployment/{{ .Chart.Name }} 9090
Whether callers reach it:
  helm -n {{ .Release.Namespace }} test {{ .Release.Name }}
{{- end }}
