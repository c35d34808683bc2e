{{- define "graphicssvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient, s3]
    calls: [passportsvc, objectmodelsvc, filesvc]
  worker:
    needs: [mongodb, redis, serviceClient, s3]
    calls: [passportsvc, objectmodelsvc, filesvc]
  migration:
    needs: [mongodb, s3]
    calls: []
queues: [graphicssvc.loads, graphicssvc.namespaces]
{{- end }}
