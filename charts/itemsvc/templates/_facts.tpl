{{- define "itemsvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, filesvc]
  worker:
    needs: [mongodb, redis, mqtt]
    calls: []
  migration:
    needs: [mongodb]
    calls: []
queues: [itemsvc.bulk, itemsvc.ingestion, itemsvc.items, itemsvc.telemetry]
{{- end }}
