{{/*
Facts about a service, which its chart declares in the template `<chart>.facts`:

  components:          api, migration and, if the service has one, worker
    <component>:
      needs: [mongodb]   backends and credentials, as named in `platform-lib.secrets`
      calls: [filesvc]   services that it calls
      settings: {}       settings of this component only (used by the migration)
  queues: [name]       the BullMQ queues that the worker processes
*/}}
{{- define "platform-lib.facts" -}}
{{- $facts := include (printf "%s.facts" .Chart.Name) . | fromYaml }}
{{- if include "platform-lib.hasInlineWorker" . }}
{{- range $list := list "needs" "calls" "reaches" }}
{{- $both := concat (get $facts.components.api $list | default list) (get $facts.components.worker $list | default list) | uniq }}
{{- $_ := set $facts.components.api $list $both }}
{{- end }}
{{- $_ := unset $facts.components "worker" }}
{{- end }}
{{- toYaml $facts }}
{{- end }}

{{/* Not empty if the pods of the API process the queues, too. */}}
{{- define "platform-lib.hasInlineWorker" -}}
{{ if and (eq .Values.global.workers "inline") .Values.worker }}true{{ end }}
{{- end }}

{{/* The facts of one component. Takes dict "root" "component". */}}
{{- define "platform-lib.component" -}}
{{ index (include "platform-lib.facts" .root | fromYaml).components .component | toYaml }}
{{- end }}

{{/* Not empty if the service has a worker. */}}
{{- define "platform-lib.hasWorker" -}}
{{ if hasKey (include "platform-lib.facts" . | fromYaml).components "worker" }}true{{ end }}
{{- end }}

{{/* Not empty if a component of the service uses S3. */}}
{{- define "platform-lib.usesS3" -}}
{{- range (include "platform-lib.facts" . | fromYaml).components }}
{{- if has "s3" .needs }}true{{ end }}
{{- end }}
{{- end }}
