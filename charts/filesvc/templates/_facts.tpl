{{- define "filesvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient, s3]
    calls: [passportsvc, objectmodelsvc]
  worker:
    needs: [mongodb, redis, s3]
    calls: []
  migration:
    needs: [mongodb, s3]
    calls: []
queues: [filesvc.content, filesvc.namespaces, filesvc.previews, filesvc.removals]
{{- end }}
