{{- define "passportsvc.facts" -}}
components:
  api:
    needs: [mongodb, redis, serviceClient, keyEncryption]
    calls: [passportsvc, objectmodelsvc, itemsvc, filesvc]
  worker:
    needs: [mongodb, redis, smtp, keyEncryption]
    calls: []
    reaches: [internet]
  migration:
    needs: [mongodb, keyEncryption, serviceClient, bootstrap]
    calls: []
    settings:
      bootstrapOrgId: {{ .Values.bootstrap.orgId | quote }}
      bootstrapAdminEmail: {{ .Values.bootstrap.adminEmail | quote }}
      bootstrapAppId: {{ .Values.bootstrap.appId | quote }}
      bootstrapRedirectUri: {{ join "," .Values.bootstrap.redirectUris | quote }}
queues: [passportsvc.mail]
{{- end }}
