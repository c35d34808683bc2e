{{/*
What the library must know of a service, as its chart states it in the template `<chart>.facts`:

  components:          api, migration and, where there is one, worker
    <component>:
      needs: [mongodb]   the backends and credentials that it uses, as named in `platform-lib.secrets`
      calls: [filesvc]   the services that it calls
      settings: {}       settings that only this component has (of the migration)
  queues: [name]       the BullMQ queues that the worker works on
*/}}
{{- define "platform-lib.facts" -}}
{{ include (printf "%s.facts" .Chart.Name) . }}
{{- end }}

{{/* The facts of one component, of dict "root" "component". */}}
{{- define "platform-lib.component" -}}
{{ index (include "platform-lib.facts" .root | fromYaml).components .component | toYaml }}
{{- end }}

{{/* Not empty when the service has a worker. */}}
{{- define "platform-lib.hasWorker" -}}
{{ if hasKey (include "platform-lib.facts" . | fromYaml).components "worker" }}true{{ end }}
{{- end }}

{{/* Not empty when a component of the service uses S3. */}}
{{- define "platform-lib.usesS3" -}}
{{- range (include "platform-lib.facts" . | fromYaml).components }}
{{- if has "s3" .needs }}true{{ end }}
{{- end }}
{{- end }}
