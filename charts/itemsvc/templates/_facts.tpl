{{- define "itemsvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, filesvc]
  worker:
    needs: [mongodb, redis]
    calls: []
  migration:
    needs: [mongodb]
    calls: []
queues: [itemsvc.items, itemsvc.telemetry]
{{- end }}
