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
{{ include (printf "%s.facts" .Chart.Name) . }}
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
