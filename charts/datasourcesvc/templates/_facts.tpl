{{- define "datasourcesvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, graphicssvc, filesvc, itemsvc]
    reaches: [{{ if .Values.settings.callUrlHosts }}internet{{ end }}]
  worker:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc, objectmodelsvc, graphicssvc, filesvc, itemsvc]
    reaches: [{{ if .Values.settings.callUrlHosts }}internet{{ end }}]
  migration:
    needs: [mongodb]
    calls: []
queues: [datasourcesvc.runs, datasourcesvc.namespaces]
{{- end }}
