{{- define "metricsvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc]
  worker:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, filesvc, itemsvc]
  migration:
    needs: [mongodb]
    calls: []
queues: [metricsvc.usage, metricsvc.namespaces]
{{- end }}
