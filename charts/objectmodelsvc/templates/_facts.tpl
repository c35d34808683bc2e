{{- define "objectmodelsvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient]
    calls: [passportsvc]
  migration:
    needs: [mongodb]
    calls: []
{{- end }}
