{{- define "datasourcesvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, graphicssvc, filesvc, itemsvc]
    reaches: [internet]
  worker:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, graphicssvc, filesvc, itemsvc]
    reaches: [internet]
  migration:
    needs: [mongodb]
    calls: []
queues: [datasourcesvc.runs, datasourcesvc.namespaces]
{{- end }}
