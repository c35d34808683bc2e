{{- define "datasourcesvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, graphicssvc]
  worker:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, graphicssvc]
  migration:
    needs: [mongodb]
    calls: []
queues: [datasourcesvc.runs, datasourcesvc.namespaces]
{{- end }}
